// Checks functions and queues: environment, event source mappings and messages.
import { filePrefix, environmentNames as names, stageLimits, stages } from '../contract.ts';
import type { FunctionFacts, InstallationFacts, QueueFacts } from './facts.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export const deployAgain = 'deploy the stack again: `cdk deploy` puts back what was changed by hand';

/** For functions that AWS Lambda still prepares, after a deployment or after weeks without use. */
const notReady = 'look again in a minute: AWS prepares it';

export function checkFunction(
  { name, state, environment, mappings, output }: FunctionFacts,
  facts: InstallationFacts,
): readonly Finding[] {
  const subject = `function ${name}`;
  const findings: Finding[] = [];
  if (state === 'Pending') findings.push(warning(subject, 'it is Pending', notReady));
  else if (state !== 'Active')
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
  if (!/^(Sweep|Widget)/.test(output) && mappings.length === 0)
    findings.push(problem(subject, 'no queue triggers it', deployAgain));
  findings.push(...mappings.flatMap((mapping) => checkMapping(subject, mapping)));
  findings.push(...checkIngestQueues(subject, environment[names.ingestQueues], facts));
  return findings.length > 0 ? findings : [ok(subject, 'active, with the environment of the stack')];
}

/** Transitional states of a mapping (Lambda API, EventSourceMappingConfiguration.State). */
const passingStates: ReadonlySet<string> = new Set(['Creating', 'Enabling', 'Updating']);

function checkMapping(subject: string, { queueArn, state }: FunctionFacts['mappings'][number]): readonly Finding[] {
  if (state === 'Enabled') return [];
  const text = `its event source mapping of ${queueArn} is ${state}`;
  if (passingStates.has(state)) return [warning(subject, text, notReady)];
  return [problem(subject, text, 'enable it: aws lambda update-event-source-mapping --enabled')];
}

/** A cluster is identified by the name of its queue, so a renamed queue belongs to no cluster. */
function checkIngestQueues(
  subject: string,
  told: string | undefined,
  { queues }: InstallationFacts,
): readonly Finding[] {
  // The value is in a file beside the function's bundle, which cannot be read here.
  if (told === undefined || told.startsWith(filePrefix)) return [];
  const known = namesIn(told);
  if (known === undefined) return [problem(subject, `${names.ingestQueues} is not JSON: ${told}`, deployAgain)];
  const real = queues
    .filter(({ output }) => /^IngestQueueUrl/.test(output))
    .map(({ url }) => url.split('/').at(-1) ?? '');
  return real
    .filter((name) => !known.includes(name))
    .map((name) =>
      problem(
        `queue ${name}`,
        `ingest takes it for no cluster's and drops its messages: ${names.ingestQueues} names ${known.join(', ')}`,
        deployAgain,
      ),
    );
}

function namesIn(json: string): readonly string[] | undefined {
  try {
    return Object.keys(JSON.parse(json));
  } catch {
    return undefined;
  }
}

export function checkQueue(queue: QueueFacts): readonly Finding[] {
  const { output, url, waiting } = queue;
  const subject = `queue ${url.split('/').at(-1)}`;
  if (/DeadLetters/.test(output)) {
    if (waiting === 0) return [ok(subject, 'empty')];
    return [
      warning(
        subject,
        `${waiting} dead letters`,
        'find the cause in the logs of the function, then redrive them to their queue',
      ),
    ];
  }
  const findings = [...checkForm(subject, queue), ...checkTraffic(subject, queue)];
  return findings.length > 0 ? findings : [ok(subject, `${waiting} waiting`)];
}

function checkForm(subject: string, { output, visibilityTimeout, deadLetterQueue }: QueueFacts): readonly Finding[] {
  if (deadLetterQueue === undefined)
    return [problem(subject, 'it has no dead-letter queue: a failing message is retried for days', deployAgain)];
  const stage = stages.find((one) => output.toLowerCase().startsWith(one));
  const timeout = stage === undefined ? 0 : stageLimits[stage].timeout;
  if (visibilityTimeout >= timeout) return [];
  return [
    problem(
      subject,
      `its visibility time-out of ${visibilityTimeout} s is below the function's ${timeout} s: messages may be processed more than once at a time`,
      deployAgain,
    ),
  ];
}

function checkTraffic(subject: string, { poison = 0, receives }: QueueFacts): readonly Finding[] {
  const findings: Finding[] = [];
  if (receives === 0)
    findings.push(
      problem(
        subject,
        'no consumer has asked it for messages in the last 15 minutes: the executor of its cluster does not run, or may not',
        'sluice doctor --kubeconfig <of that cluster> says whether it runs; its role needs sqs:ReceiveMessage on this queue',
      ),
    );
  if (poison > 0)
    findings.push(
      warning(
        subject,
        `${poison} messages of the last hour could not be read and were dropped: an unknown version, or someone else's messages`,
        'the log of the function says why; deploy functions and watcher of the same release, functions first',
      ),
    );
  return findings;
}
