// Small parts of the watcher: clock offset, back-off, outbox, environment and probes.
import type { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChangeMessage } from '../../lib/model/change.ts';
import { type DateSample, middleOf, narrowed } from '../../lib/watcher/clockOffset.ts';
import { createDeletions } from '../../lib/watcher/deletions.ts';
import { readWatcherEnvironment } from '../../lib/watcher/environment.ts';
import { createKindState } from '../../lib/watcher/kinds.ts';
import type { Observed } from '../../lib/watcher/observed.ts';
import { createOutbox, type OutboxOptions } from '../../lib/watcher/outbox.ts';
import { backoff, createComplaint, pause } from '../../lib/watcher/pauses.ts';
import { answerTo, serveProbes } from '../../lib/watcher/probes.ts';
import { createMemoryQueue } from './follow.ts';

const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const clock = { now: () => 0, sleep: async () => {} };
const heartbeat = (at: number): ChangeMessage => ({
  type: 'Heartbeat',
  incarnation: 'uid',
  at,
  clockOffset: 0,
  watched: {},
});

/** What an API server whose clock is `offset` ahead answers to a request of that time and duration. */
function answered(offset: number, asked: number, took: number): DateSample {
  const server = asked + took / 2 + offset;
  return { date: Math.floor(server / 1000) * 1000, asked, answered: asked + took };
}

describe('the clock offset of the API server', () => {
  const offset = fc.integer({ min: -3_600_000, max: 3_600_000 });
  const request = fc.record({
    asked: fc.integer({ min: 1_000_000_000, max: 2_000_000_000 }),
    took: fc.integer({ min: 0, max: 500 }),
  });

  it('the clock offset lies in the range on which all samples agree', () => {
    fc.assert(
      fc.property(offset, fc.array(request, { minLength: 1, maxLength: 12 }), (truth, requests) => {
        const range = narrowed(requests.map(({ asked, took }) => answered(truth, asked, took)));
        expect(range?.from).toBeLessThanOrEqual(truth);
        expect(range?.to).toBeGreaterThanOrEqual(truth);
      }),
    );
  });

  it('the clock offset is known to a tenth of a second after twelve answers at odd times', () => {
    const samples = Array.from({ length: 12 }, (_, i) => answered(1234, 1_000_000_000 + i * 10_083, 4));
    const range = narrowed(samples);
    expect(Math.abs(middleOf(range ?? { from: 0, to: 0 }) - 1234)).toBeLessThan(100);
  });

  it('the clock offset is that of the newest answers after a clock was set', () => {
    const [before, after] = [answered(0, 1_000_000_000, 4), answered(60_000, 1_000_010_000, 4)];
    expect(narrowed([before, after])).toEqual(narrowed([after]));
  });
});

describe('back-off', () => {
  it('the back-off grows from a quarter of a second to half a minute, with jitter over its upper half', () => {
    expect([1, 2, 3, 8, 30].map((failures) => backoff(failures, () => 1))).toEqual([250, 500, 1000, 30_000, 30_000]);
    expect([1, 30].map((failures) => backoff(failures, () => 0))).toEqual([125, 15_000]);
  });

  it('a pause ends when the watcher is stopped', async () => {
    const abort = new AbortController();
    const paused = pause(abort.signal, 3_600_000);
    abort.abort();
    await paused;
    await pause(abort.signal, 3_600_000);
  });

  it('a problem is logged when it is new, once a minute while it lasts, and when it is over', () => {
    let now = 0;
    const said: string[] = [];
    const say = (message: string) => void said.push(message);
    const complaint = createComplaint({ info: say, warn: say, error: say }, { now: () => now });
    complaint.settle('nothing was wrong');
    for (const [at, problem] of [
      [0, 'a'],
      [59_999, 'a'],
      [60_000, 'a'],
      [60_001, 'b'],
      [60_002, 'b'],
    ] as const) {
      now = at;
      complaint.say(problem);
    }
    complaint.settle('over');
    complaint.settle('over');
    expect(said).toEqual(['a', 'a', 'b', 'over']);
  });
});

describe('the outbox of the watcher', () => {
  it('the outbox drops only messages that SQS will never accept, and logs them', async () => {
    const errors: string[] = [];
    const sent: string[] = [];
    const client = {
      async send({ input }: SendMessageBatchCommand) {
        const entries = input.Entries ?? [];
        const bad = entries.filter((entry) => entry.MessageBody?.includes('"at":1,'));
        const busy = sent.length === 0 ? entries.filter((entry) => entry.MessageBody?.includes('"at":2,')) : [];
        const failed = [...bad, ...busy];
        sent.push(...entries.filter((entry) => !failed.includes(entry)).map((entry) => entry.MessageBody ?? ''));
        return { Failed: failed.map((entry) => ({ Id: entry.Id, SenderFault: bad.includes(entry), Code: 'No' })) };
      },
    } as OutboxOptions['client'];
    const log = { ...quiet, error: (message: string) => void errors.push(message) };
    const outbox = createOutbox({ client, queueUrl: 'q', clock, log });
    await outbox.send([1, 2, 3].map(heartbeat));
    await outbox.drained(AbortSignal.timeout(5000));
    expect(sent.map((body) => JSON.parse(body).at).sort()).toEqual([2, 3]);
    expect(outbox.state).toEqual({ waiting: 0, sent: 2, refused: 1, problem: undefined });
    expect(errors).toContain('SQS will never take this change');
  });

  it('the outbox waits for the queue when it is drained, but not forever', async () => {
    const queue = createMemoryQueue();
    queue.failure = new Error('closed');
    const outbox = createOutbox({ client: queue.client, queueUrl: 'q', clock, log: quiet });
    await outbox.send([heartbeat(1)]);
    await outbox.drained(AbortSignal.timeout(20));
    expect(outbox.state.waiting).toBe(1);
    queue.failure = undefined;
    await outbox.drained(AbortSignal.timeout(5000));
    expect(queue.bodies).toHaveLength(1);
  });

  it('the outbox makes its callers wait when it is full, by number or by bytes', async () => {
    for (const bound of [
      { changes: 2, bytes: 1e9 },
      { changes: 1e9, bytes: 100 },
    ]) {
      const queue = createMemoryQueue();
      queue.failure = new Error('closed');
      const outbox = createOutbox({ client: queue.client, queueUrl: 'q', clock, log: quiet, bound });
      await outbox.send([heartbeat(1)]);
      let isThrough = false;
      const second = outbox.send([heartbeat(2)]).then(() => {
        isThrough = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      expect(isThrough).toBe(false);
      queue.failure = undefined;
      await second;
      await outbox.drained(AbortSignal.timeout(5000));
      expect(queue.bodies).toHaveLength(2);
    }
  });
});

describe('environment variables', () => {
  const queue = 'https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-ingest-prod';

  it('the environment of the watcher needs only the queue', () => {
    expect(readWatcherEnvironment({ SLUICE_INGEST_QUEUE_URL: queue })).toEqual({
      kind: 'Usable',
      environment: {
        queueUrl: queue,
        resendQueueUrl: queue.replace('ingest', 'resend'),
        region: 'eu-west-1',
        probesOwner: false,
        healthPort: 0,
      },
    });
  });

  it.each([
    ['no queue', {}, /SLUICE_INGEST_QUEUE_URL is not set/],
    [
      'a queue name instead of a URL',
      { SLUICE_INGEST_QUEUE_URL: 's-ingest-c', AWS_REGION: 'x' },
      /is not a URL: s-ingest-c/,
    ],
    [
      'a queue of another kind',
      { SLUICE_INGEST_QUEUE_URL: 'https://sqs/1/queue', AWS_REGION: 'x' },
      /names no ingest queue of Sluice/,
    ],
    [
      'a queue without region',
      { SLUICE_INGEST_QUEUE_URL: 'http://localhost:4566/s-ingest-c' },
      /AWS_REGION is not set/,
    ],
    [
      'an invalid port',
      { SLUICE_INGEST_QUEUE_URL: queue, SLUICE_HEALTH_PORT: '70000' },
      /SLUICE_HEALTH_PORT is not a port: 70000/,
    ],
    [
      'a probe setting that is neither true nor false',
      { SLUICE_INGEST_QUEUE_URL: queue, SLUICE_PROBE_OWNER: 'maybe' },
      /SLUICE_PROBE_OWNER is neither true nor false: maybe/,
    ],
  ])('the environment of the watcher refuses %s', (_, env, problem) => {
    const read = readWatcherEnvironment(env);
    expect(read).toMatchObject({ kind: 'Unusable', problems: [expect.stringMatching(problem)] });
  });
});

describe('probes and metrics', () => {
  function observed(): Observed {
    const outbox = createOutbox({ client: createMemoryQueue().client, queueUrl: 'q', clock, log: quiet });
    const kinds = [createKindState('Pod'), createKindState('DeviceTaintRule')];
    const isReady = () => kinds.every((kind) => kind.phase !== 'Starting');
    const watcher = {
      kinds,
      heartbeat: { last: 5000, clockOffset: -250 },
      isReady,
      deletions: createDeletions(() => 0),
      done: Promise.resolve(),
    };
    return { outbox, watcher, problem: undefined };
  }

  it('a watcher that answers is alive; it is ready while nothing is missing, and otherwise gives the reason', () => {
    const of = observed();
    expect(answerTo('/healthz', of)).toMatchObject({ status: 200 });
    expect(answerTo('/readyz', of)).toEqual({ status: 503, text: 'Pod: starting\nDeviceTaintRule: starting\n' });
    const [pods, rules] = of.watcher?.kinds ?? [];
    Object.assign(pods ?? {}, { phase: 'Waiting', problem: 'cannot list pods' });
    Object.assign(rules ?? {}, { phase: 'NotServed' });
    expect(answerTo('/readyz?verbose', of)).toEqual({ status: 503, text: 'Pod: cannot list pods\n' });
    Object.assign(pods ?? {}, { phase: 'Watching' });
    expect(answerTo('/readyz', of)).toMatchObject({ status: 200 });
    of.outbox.state.problem = 'the queue is away';
    expect(answerTo('/readyz', of)).toEqual({ status: 503, text: 'the queue is away\n' });
    expect(answerTo('/readyz', { ...of, watcher: undefined, problem: 'no kubeconfig' })).toEqual({
      status: 503,
      text: 'no kubeconfig\n',
    });
    expect(answerTo('/other', of).status).toBe(404);
  });

  it('metrics are in the text format of Prometheus, each with help, type and values', () => {
    const { text, type } = answerTo('/metrics', observed());
    expect(type).toBe('text/plain; version=0.0.4');
    const names = [
      ...text.matchAll(
        /^# HELP (\S+) .+\n# TYPE \1 (?:gauge|counter|histogram)\n(?:\1(?:_sum|_count|(?:_bucket)?\{\w+="[\w.+]+"\})? -?[\d.]+\n)+/gm,
      ),
    ];
    expect(names.map(([found]) => found).join('')).toBe(text);
    expect(names).toHaveLength(12);
    expect(text).toContain('sluice_watcher_clock_offset_seconds -0.25\n');
    expect(text).toContain('sluice_watcher_established{kind="Pod"} 0\n');
  });

  it('deletions have the metrics that dashboards for the in-tree controller expect', () => {
    const { text } = answerTo('/metrics', observed());
    const name = 'device_taint_eviction_controller_pod_deletion_duration_seconds';
    const bounds = [...text.matchAll(new RegExp(`^${name}_bucket{le="(.*)"} 0$`, 'gm'))].map(([, le]) => le);
    expect(bounds).toEqual(['0.005', '0.025', '0.1', '0.5', '1', '2.5', '10', '30', '60', '120', '180', '240', '+Inf']);
    expect(text).toContain(
      '# TYPE device_taint_eviction_controller_pod_deletions_total counter\ndevice_taint_eviction_controller_pod_deletions_total 0\n',
    );
    expect(answerTo('/metrics', { ...observed(), watcher: undefined }).text).not.toContain('device_taint');
  });

  it('probes are answered over HTTP, and a port in use is an error', async () => {
    const probes = await serveProbes(0, (path) => answerTo(path, observed()));
    const response = await fetch(`http://127.0.0.1:${probes.port}/healthz`);
    expect(await response.text()).toBe('ok\n');
    await expect(serveProbes(probes.port, (path) => answerTo(path, observed()))).rejects.toThrow(/EADDRINUSE/);
    await probes.close();
  });
});
