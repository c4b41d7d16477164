// How the executor treats the messages of its queue: it deletes processed ones, keeps failed ones and returns late ones.
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { type Polled, poll } from '../../lib/executor/poll.ts';
import { answerTo, type PolledQueue } from '../../lib/executor/probes.ts';

const queueUrl = 'https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-evict-inside';
const message = (id: string): Message => ({
  MessageId: id,
  ReceiptHandle: `handle-${id}`,
  Body: `body-${id}`,
  Attributes: { ApproximateReceiveCount: '3', SentTimestamp: '17' },
});

/** Answers receive calls with these in turn, and stops the poller when none is left. */
async function play(answers: readonly (readonly Message[] | Error)[], more: Partial<Polled> = {}) {
  const abort = new AbortController();
  const left = [...answers];
  const commands: object[] = [];
  const said: string[] = [];
  const state: PolledQueue = { name: 'evict-inside', answered: false, problem: undefined };
  const states: (string | undefined)[] = [];
  const client = {
    async send(command: unknown) {
      if (command instanceof ReceiveMessageCommand) {
        states.push(state.problem);
        commands.push({ wait: command.input.WaitTimeSeconds });
        const answer = left.shift();
        if (left.length === 0) queueMicrotask(() => abort.abort());
        if (answer instanceof Error) throw answer;
        return { Messages: answer };
      }
      if (command instanceof DeleteMessageBatchCommand)
        commands.push({ deleted: command.input.Entries?.map((one) => one.ReceiptHandle) });
      if (command instanceof ChangeMessageVisibilityCommand)
        commands.push({ back: command.input.ReceiptHandle, after: command.input.VisibilityTimeout });
      return {};
    },
  };
  const say = (text: string) => said.push(text);
  await poll({
    client: client as unknown as Polled['client'],
    queueUrl,
    region: 'eu-west-1',
    batchSize: 5,
    concurrency: 1,
    handler: async () => ({ batchItemFailures: [] }),
    log: { info: say, warn: say, error: say },
    now: () => 0,
    signal: abort.signal,
    state,
    ...more,
  });
  return { commands, said, state, states };
}

describe('polling a queue', () => {
  it('a poller passes the handler the fields of an event source mapping, and deletes processed messages', async () => {
    const seen: unknown[] = [];
    const handler: Polled['handler'] = async ({ Records }) => {
      for (const { body, eventSourceARN, receiptHandle, attributes } of Records)
        seen.push([body, eventSourceARN.split(':').at(-1), receiptHandle, attributes.ApproximateReceiveCount]);
      return { batchItemFailures: [] };
    };
    const { commands } = await play([[message('a')], []], { handler });
    expect(seen).toEqual([['body-a', 'Sluice-evict-inside', 'handle-a', '3']]);
    expect(commands).toContainEqual({ deleted: ['handle-a'] });
  });

  it('a poller leaves in the queue the messages that the handler reports as failed, and deletes the rest', async () => {
    const handler = async () => ({ batchItemFailures: [{ itemIdentifier: 'b' }] });
    const { commands } = await play([[message('a'), message('b'), message('c')], []], { handler });
    expect(commands).toContainEqual({ deleted: ['handle-a', 'handle-c'] });
  });

  it('a poller deletes no message when all of them failed', async () => {
    const handler = async () => ({ batchItemFailures: [{ itemIdentifier: 'a' }] });
    const { commands } = await play([[message('a')], []], { handler });
    expect(commands.filter((one) => 'deleted' in one)).toEqual([]);
  });

  it('a poller deletes no message when the handler throws, and logs the error', async () => {
    const { commands, said } = await play([[message('a')], []], {
      handler: () => Promise.reject(new Error('AccessDeniedException')),
    });
    expect(commands.filter((one) => 'deleted' in one)).toEqual([]);
    expect(said).toContain(`queue ${queueUrl}: AccessDeniedException`);
  });

  it('a poller that is stopped during a receive returns the messages at once, unhandled', async () => {
    const abort = new AbortController();
    const commands: unknown[] = [];
    const client = {
      async send(command: unknown) {
        if (command instanceof ReceiveMessageCommand) {
          abort.abort();
          return { Messages: [message('a')] };
        }
        if (command instanceof ChangeMessageVisibilityCommand) commands.push(command.input);
        return {};
      },
    };
    let handled = 0;
    const handler = async () => {
      handled++;
      return { batchItemFailures: [] };
    };
    await play([[]], { client: client as unknown as Polled['client'], signal: abort.signal, handler });
    expect(commands).toEqual([{ QueueUrl: queueUrl, ReceiptHandle: 'handle-a', VisibilityTimeout: 0 }]);
    expect(handled).toBe(0);
  });

  it('a poller handles at most its concurrency of batches at a time, and receives no more messages than it can handle', async () => {
    const abort = new AbortController();
    const asked: (number | undefined)[] = [];
    const ends: (() => void)[] = [];
    let sent = 0;
    const client = {
      async send(command: unknown) {
        if (!(command instanceof ReceiveMessageCommand)) return {};
        const room = command.input.MaxNumberOfMessages ?? 1;
        asked.push(room);
        if (sent >= 4) abort.abort();
        const Messages = Array.from({ length: Math.min(room, 4 - sent) }, (_, i) => message(`m${sent + i}`));
        sent += Messages.length;
        return { Messages };
      },
    };
    let most = 0;
    const running = new Set<string>();
    const handler: Polled['handler'] = async ({ Records }) => {
      const id = Records[0]?.messageId ?? '';
      running.add(id);
      most = Math.max(most, running.size);
      await new Promise<void>((resolve) => void ends.push(resolve));
      running.delete(id);
      return { batchItemFailures: [] };
    };
    const done = play([[]], {
      client: client as unknown as Polled['client'],
      signal: abort.signal,
      batchSize: 1,
      concurrency: 3,
      handler,
    });
    for (let i = 0; i < 1000 && sent < 4; i++) {
      await new Promise(setImmediate);
      ends.shift()?.();
    }
    const ending = setInterval(() => ends.shift()?.(), 1);
    await done;
    clearInterval(ending);
    expect(most).toBe(3);
    expect(asked.slice(0, 2)).toEqual([3, 1]);
    expect(running.size).toBe(0);
  });

  it('a poller waits one second in its first receive, so that it is ready soon, and 20 seconds in later ones', async () => {
    const { commands } = await play([[], [], []]);
    expect(commands).toEqual([{ wait: 1 }, { wait: 20 }, { wait: 20 }]);
  });
});

describe('the probes', () => {
  const queue = (more: Partial<PolledQueue>): PolledQueue => ({
    name: 'evict-inside',
    answered: true,
    problem: undefined,
    ...more,
  });
  it.each<[string, readonly PolledQueue[], { status: number; text: string }]>([
    ['both queues answer', [queue({}), queue({ name: 'report-inside' })], { status: 200, text: 'ok\n' }],
    [
      'one has not answered yet',
      [queue({}), queue({ name: 'report-inside', answered: false })],
      { status: 503, text: 'report-inside: not asked yet\n' },
    ],
    [
      'one refuses',
      [queue({ problem: 'AccessDenied' }), queue({ answered: false, problem: 'NonExistentQueue' })],
      { status: 503, text: 'evict-inside: AccessDenied\nevict-inside: NonExistentQueue\n' },
    ],
  ])('the probe /readyz reports the state of the queues when %s, and /healthz is ok', (_, queues, expected) => {
    expect(answerTo('/readyz', queues)).toEqual(expected);
    expect(answerTo('/healthz', queues)).toEqual({ status: 200, text: 'ok\n' });
  });

  it('a probe of any other path is answered with 404 and the paths that exist', () => {
    expect(answerTo('/metrics', [])).toEqual({ status: 404, text: 'there are /healthz and /readyz\n' });
  });

  it('a poller keeps the error of its queue while it lasts, and logs when the queue answers again', async () => {
    const { state, states, said } = await play([new Error('AccessDenied'), [], []]);
    expect(states).toEqual([undefined, 'AccessDenied', undefined]);
    expect(state).toEqual({ name: 'evict-inside', answered: true, problem: undefined });
    expect(said).toEqual([`queue ${queueUrl}: AccessDenied`, 'the queue answers again']);
  });
});
