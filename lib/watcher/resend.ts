// Answers the mirror's requests for expected objects: lists each by name and sends the object, or reports it as absent.
import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { listPage } from '../adapters/kubernetes/listWatch.ts';
import { project } from '../adapters/kubernetes/project.ts';
import { parseResendMessage } from '../adapters/sqs/messages.ts';
import { type Incarnation, incarnationOf } from '../model/identity.ts';
import type { RequestedObject } from '../model/message.ts';
import type { Log } from '../ports.ts';
import type { Following } from './following.ts';
import { forwardRequested } from './forward.ts';
import { backoff, createComplaint, pause } from './pauses.ts';

export interface Resending {
  readonly client: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  /** Requests for another incarnation are ignored. */
  readonly incarnation: Incarnation;
  readonly following: readonly Following[];
  readonly log: Log;
  readonly clock: { now(): number };
  readonly signal: AbortSignal;
}

/** Ends when the signal is aborted. A message that could not be answered is not deleted; SQS delivers it again. */
export async function answerRequests(options: Resending): Promise<void> {
  const { client, queueUrl, signal, log } = options;
  const complaint = createComplaint(log, options.clock);
  for (let failures = 0; !signal.aborted; ) {
    try {
      const receive = new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 20 });
      const { Messages = [] } = await client.send(receive, { abortSignal: signal });
      for (const { Body, ReceiptHandle } of Messages) {
        await answer(options, Body ?? '');
        await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
      }
      complaint.settle('requests for objects are answered again');
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      complaint.say(`requests for objects are not answered (${why})`, { queueUrl });
      await pause(signal, backoff(++failures));
    }
  }
}

async function answer({ incarnation, following, log }: Resending, body: string): Promise<void> {
  const parsed = parseResendMessage(body);
  if (parsed.kind === 'Poison') {
    log.error('a request cannot be read', { why: parsed.why });
    return;
  }
  if (incarnationOf(parsed.value.cluster) !== incarnation) return;
  for (const wanted of parsed.value.objects) {
    const one = following.find(({ source }) => source.kind === wanted.kind);
    if (one) await answerOne(one, wanted);
  }
}

/** Sends nothing if the kind is not served: its rows are unknown, not absent. Throws if the API server did not respond. */
export async function answerOne(following: Following, { key }: RequestedObject): Promise<void> {
  const { deps, source, path, memory, state } = following;
  if (state.phase === 'NotServed') return;
  if (path === '') throw new Error(`${source.kind} ${key}: the kind is not listed yet`);
  const { namespace, name } = placeOf(key);
  const inNamespace = namespace === undefined ? path : path.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
  const page = await listPage(deps.client, inNamespace, { fieldSelector: `metadata.name=${name}` });
  if (page.kind === 'NotServed') return;
  if (page.kind !== 'Page') throw new Error(`${source.kind} ${key}: ${page.why}`);
  const [item] = page.items;
  const shown = item === undefined ? undefined : project(source.kind, item);
  const { resourceVersion } = page;
  const { changes, problem } = forwardRequested(memory, { key, shown, resourceVersion });
  if (problem !== undefined) {
    state.unreadable++;
    deps.log.error(problem, { kind: source.kind });
  }
  await deps.sink.send(changes);
}

/** Parses `namespace/name`, `driver|pool|name`, `driver|pool|DeviceTaintSlice/name`, or a name. */
function placeOf(key: string): { readonly namespace?: string; readonly name: string } {
  const bar = key.lastIndexOf('|');
  const rest = key.slice(bar + 1);
  const slash = rest.lastIndexOf('/');
  if (slash < 0) return { name: rest };
  return bar < 0 ? { namespace: rest.slice(0, slash), name: rest.slice(slash + 1) } : { name: rest.slice(slash + 1) };
}
