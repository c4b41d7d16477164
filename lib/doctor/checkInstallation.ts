// Judges the facts of an installation: stack, functions, queues, table, clusters.
import { environmentNames as names, stageLimits, stages } from '../contract.ts';
import { checkClusterFacts } from './checkClusterFacts.ts';
import type { FunctionFacts, InstallationFacts, QueueFacts, TableFacts } from './facts.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const deployAgain = 'deploy the stack again: `cdk deploy` puts back what was changed by hand';

export function checkInstallation(facts: InstallationFacts): readonly Finding[] {
  const identity = checkIdentity(facts);
  if (identity.some(({ kind }) => kind === 'Problem')) return identity;
  return [
    ...identity,
    ...facts.functions.flatMap((one) =>
      one.kind === 'Found' ? checkFunction(one.value, facts) : [missing(`function of output ${one.output}`, one.why)],
    ),
    ...facts.queues.flatMap((one) =>
      one.kind === 'Found' ? checkQueue(one.value) : [missing(`queue ${one.url} of output ${one.output}`, one.why)],
    ),
    ...(facts.table.kind === 'Found' ? checkTable(facts.table.value) : [missing('table', facts.table.why)]),
    ...(facts.environmentProblem === undefined
      ? []
      : [problem('environment of the functions', facts.environmentProblem, deployAgain)]),
    ...facts.clusters.flatMap((cluster) => checkClusterFacts(cluster, facts)),
  ];
}

function missing(subject: string, why: string): Finding {
  return problem(subject, why, deployAgain);
}

function checkIdentity({ stack, region, account, expectedAccount, status }: InstallationFacts): readonly Finding[] {
  if (account.kind === 'Missing')
    return [
      problem(
        'credentials',
        account.why,
        'sign in (aws sso login), or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      ),
    ];
  const signedIn = ok('credentials', `account ${account.value}, region ${region}`);
  if (expectedAccount !== undefined && expectedAccount !== account.value)
    return [
      problem(
        'credentials',
        `they are of account ${account.value}, not ${expectedAccount}`,
        `take credentials of account ${expectedAccount}, or another --account`,
      ),
    ];
  const subject = `stack ${stack}`;
  if (status.kind === 'Missing')
    return [
      signedIn,
      problem(
        subject,
        `${status.why} (account ${account.value}, region ${region})`,
        'name the stack by --stack and the region by --region, or deploy it',
      ),
    ];
  if (/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status.value)) return [signedIn, ok(subject, status.value)];
  if (/FAILED|ROLLBACK/.test(status.value))
    return [
      signedIn,
      warning(
        subject,
        `${status.value}: the last deployment did not work`,
        'read its events (aws cloudformation describe-stack-events), mend the cause, deploy again',
      ),
    ];
  return [signedIn, warning(subject, status.value, 'wait until the deployment under way has ended')];
}

function checkFunction(
  { name, state, environment, mappings, output }: FunctionFacts,
  facts: InstallationFacts,
): readonly Finding[] {
  const subject = `function ${name}`;
  const findings: Finding[] = [];
  if (state !== 'Active')
    findings.push(
      problem(
        subject,
        `it is ${state}`,
        'look at its state reason in the AWS console; a key or a network interface may be missing',
      ),
    );
  const table = environment[names.table];
  if (facts.table.kind === 'Found' && table !== facts.table.value.name)
    findings.push(
      problem(
        subject,
        `${names.table} is ${table ?? 'not set'}, the stack's table is ${facts.table.value.name}`,
        deployAgain,
      ),
    );
  const known = new Set(facts.queues.map(({ url }) => url));
  for (const [variable, url] of Object.entries(environment))
    if (variable.endsWith('_QUEUE_URL') && !known.has(url))
      findings.push(problem(subject, `${variable} is ${url}, which is no queue of the stack`, deployAgain));
  if (!output.startsWith('Sweep') && mappings.length === 0)
    findings.push(problem(subject, 'no queue triggers it', deployAgain));
  for (const { queueArn, state: mapped } of mappings)
    if (mapped !== 'Enabled')
      findings.push(
        problem(
          subject,
          `its event source mapping of ${queueArn} is ${mapped}`,
          'enable it: aws lambda update-event-source-mapping --enabled',
        ),
      );
  return findings.length > 0 ? findings : [ok(subject, 'active, with the environment of the stack')];
}

function checkQueue({ output, url, waiting, visibilityTimeout, deadLetterQueue }: QueueFacts): readonly Finding[] {
  const subject = `queue ${url.split('/').at(-1)}`;
  if (/DeadLetters/.test(output)) {
    if (waiting === 0) return [ok(subject, 'empty')];
    return [
      warning(subject, `${waiting} dead letters`, 'docs/runbook.md, Dead letters: find the cause, then redrive them'),
    ];
  }
  if (deadLetterQueue === undefined)
    return [problem(subject, 'it has no dead-letter queue: a failing message goes round for days', deployAgain)];
  const stage = stages.find((one) => output.toLowerCase().startsWith(one));
  const timeout = stage === undefined ? 0 : stageLimits[stage].timeout;
  if (visibilityTimeout < timeout)
    return [
      problem(
        subject,
        `its visibility time-out of ${visibilityTimeout} s is below the function's ${timeout} s: messages are worked on twice at once`,
        deployAgain,
      ),
    ];
  return [ok(subject, `${waiting} waiting`)];
}

function checkTable({ name, status, timeToLive, pointInTimeRecovery }: TableFacts): readonly Finding[] {
  const subject = `table ${name}`;
  const findings: Finding[] = [];
  if (status !== 'ACTIVE' && status !== 'UPDATING')
    findings.push(problem(subject, `it is ${status}`, 'wait for a restore to end, or restore it from a backup'));
  if (timeToLive !== 'ENABLED' && timeToLive !== 'ENABLING')
    findings.push(warning(subject, `time to live is ${timeToLive}: old records stay for ever`, deployAgain));
  if (pointInTimeRecovery !== 'ENABLED')
    findings.push(
      warning(subject, `point-in-time recovery is ${pointInTimeRecovery}: it cannot be restored`, deployAgain),
    );
  return findings.length > 0 ? findings : [ok(subject, 'active, with time to live and point-in-time recovery')];
}
