// Checks the facts of an installation: stack, functions, queues, table and clusters.
import { awsRemedy, login } from './awsRemedy.ts';
import { checkClusterFacts } from './checkClusterFacts.ts';
import { checkFunction, checkQueue, deployAgain } from './checkFlow.ts';
import type { InstallationFacts, TableFacts } from './facts.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

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
    ...checkDrift(facts),
    ...facts.clusters.flatMap((cluster) => checkClusterFacts(cluster, facts)),
  ];
}

function checkDrift({ drift }: InstallationFacts): readonly Finding[] {
  if (drift === undefined) return [];
  if (drift.kind === 'Missing')
    return [
      warning(
        'drift of the stack',
        drift.why,
        'grant cloudformation:DetectStackDrift to the identity that runs the doctor',
      ),
    ];
  if (drift.value.length === 0) return [ok('drift of the stack', 'everything is as the template has it')];
  return drift.value.map(({ logicalId, type, isDeleted, differences }) =>
    problem(
      `${type} ${logicalId}`,
      isDeleted
        ? 'it was deleted by hand'
        : differences
            .map(({ path, expected, actual }) => `${path} is ${actual}, the template has ${expected}`)
            .join('; '),
      deployAgain,
    ),
  );
}

function missing(subject: string, why: string): Finding {
  return problem(subject, why, deployAgain);
}

function checkIdentity({ stack, region, account, expectedAccount, status }: InstallationFacts): readonly Finding[] {
  if (account.kind === 'Missing') return [problem('credentials', account.why, awsRemedy(account.why) ?? login)];
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
        `${status.value}: the last deployment failed`,
        'read its events (aws cloudformation describe-stack-events), fix the cause, deploy again',
      ),
    ];
  return [signedIn, warning(subject, status.value, 'wait until the deployment under way has ended')];
}

function checkTable({ name, status, timeToLive, pointInTimeRecovery }: TableFacts): readonly Finding[] {
  const subject = `table ${name}`;
  const findings: Finding[] = [];
  if (status !== 'ACTIVE' && status !== 'UPDATING')
    findings.push(problem(subject, `it is ${status}`, 'wait for a restore to end, or restore it from a backup'));
  if (timeToLive !== 'ENABLED' && timeToLive !== 'ENABLING')
    findings.push(warning(subject, `time to live is ${timeToLive}: old records stay forever`, deployAgain));
  if (pointInTimeRecovery !== 'ENABLED')
    findings.push(
      warning(subject, `point-in-time recovery is ${pointInTimeRecovery}: it cannot be restored`, deployAgain),
    );
  return findings.length > 0 ? findings : [ok(subject, 'active, with time to live and point-in-time recovery')];
}
