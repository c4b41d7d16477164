// Each record of a batch is processed, dropped as poison or returned to the queue, independently of the others.
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { ReturningMessage } from '../../lib/adapters/sqs/visibility.ts';
import { createMetrics } from '../../lib/lambda/powertools.ts';
import { returnDelay } from '../../lib/lambda/returnDelay.ts';
import { createSqsHandler, each, inTurns } from '../../lib/lambda/sqsHandler.ts';

const queueArn = 'arn:aws:sqs:eu-west-1:123456789012:Sluice-evict';

const recordOf = (body: string, receives = 1) =>
  ({
    messageId: `id-${body}`,
    receiptHandle: `handle-${body}`,
    body,
    attributes: { ApproximateReceiveCount: String(receives) },
    eventSourceARN: queueArn,
  }) as SQSRecord;

/** A stage that cannot parse `poison` and fails on `fail`. */
function aStage(returnLater?: () => Promise<void>) {
  const done: string[] = [];
  const said: string[] = [];
  const lines: string[] = [];
  const returned: ReturningMessage[] = [];
  const say = (message: string, fields?: Record<string, unknown>) => said.push(`${message} ${JSON.stringify(fields)}`);
  const handler = createSqsHandler<string>({
    log: { info: say, warn: say, error: say },
    metrics: createMetrics(
      (line) => lines.push(line),
      () => 0,
    ),
    returnLater:
      returnLater ??
      (async (messages) => {
        returned.push(...messages);
      }),
    parse: ({ body }) =>
      body.startsWith('poison') ? { kind: 'Poison', why: 'no such kind' } : { kind: 'Parsed', value: body },
    run: each(async (value) => {
      if (value.startsWith('fail')) throw new Error('ProvisionedThroughputExceededException');
      done.push(value);
      return value.startsWith('later') ? { kind: 'ComeBack', seconds: 7 } : undefined;
    }),
  });
  const handle = async (...records: SQSRecord[]) => {
    const event: SQSEvent = { Records: records };
    const context = { getRemainingTimeInMillis: () => 1000 } as Parameters<typeof handler>[1];
    const answer = (await handler(event, context)) as unknown as {
      batchItemFailures: { itemIdentifier: string }[];
    };
    return answer.batchItemFailures.map((one) => one.itemIdentifier);
  };
  return { handle, done, said, lines, returned };
}

describe('a batch of records', () => {
  it.each<[string, string[], { back: string[]; done: string[]; poison: number }]>([
    ['all succeed', ['a', 'b'], { back: [], done: ['a', 'b'], poison: 0 }],
    ['one fails', ['a', 'fail', 'b'], { back: ['id-fail'], done: ['a', 'b'], poison: 0 }],
    ['poison beside a good record', ['poison', 'a'], { back: [], done: ['a'], poison: 1 }],
    ['only poison', ['poison-1', 'poison-2'], { back: [], done: [], poison: 2 }],
    [
      'poison between failures',
      ['fail-1', 'poison', 'fail-2'],
      { back: ['id-fail-1', 'id-fail-2'], done: [], poison: 1 },
    ],
    ['no records', [], { back: [], done: [], poison: 0 }],
  ])('a batch reports exactly the records that failed: %s', async (_, bodies, expected) => {
    const stage = aStage();
    expect(await stage.handle(...bodies.map((body) => recordOf(body)))).toEqual(expected.back);
    expect(stage.done).toEqual(expected.done);
    const counted = stage.lines.map((line) => JSON.parse(line).MessagesPoison ?? 0);
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(expected.poison);
  });

  it('poison is logged with its queue, the reason and the beginning of its body', async () => {
    const stage = aStage();
    await stage.handle(recordOf(`poison${'x'.repeat(5000)}`));
    expect(stage.said).toHaveLength(1);
    expect(stage.said[0]).toMatch(
      /^poison message dropped .*"queue":"Sluice-evict","why":"no such kind","body":"poisonx+"/,
    );
    expect(stage.said[0]?.length).toBeLessThan(7000);
  });
});

describe('failed records', () => {
  it('a failed record is logged with its receive count and the reason', async () => {
    const stage = aStage();
    await stage.handle(recordOf('fail', 3));
    expect(stage.said[0]).toMatch(
      /^message will come back .*"id-fail","receives":"3","why":"ProvisionedThroughputExceededException"/,
    );
  });

  it('only failed records return to the queue, after a delay that grows with their receive count', async () => {
    const stage = aStage();
    await stage.handle(recordOf('a'), recordOf('fail-1'), recordOf('fail-2', 4));
    expect(stage.returned).toEqual([
      { queueArn, receiptHandle: 'handle-fail-1', seconds: 1 },
      { queueArn, receiptHandle: 'handle-fail-2', seconds: 60 },
    ]);
  });

  it('a failed record returns after the visibility timeout when the queue refuses the delay', async () => {
    const stage = aStage(async () => {
      throw new Error('AccessDenied');
    });
    expect(await stage.handle(recordOf('fail'))).toEqual(['id-fail']);
    expect(stage.said.at(-1)).toMatch(/only after the visibility time-out .*AccessDenied/);
  });
});

describe('postponed records', () => {
  it('a record that its step postpones returns after the delay of the step, and is not logged as a failure', async () => {
    const stage = aStage();
    expect(await stage.handle(recordOf('a'), recordOf('later', 2))).toEqual(['id-later']);
    expect(stage.returned).toEqual([{ queueArn, receiptHandle: 'handle-later', seconds: 7 }]);
    expect(stage.said).toEqual([]);
  });
});

describe('messages that run in turns by weight', () => {
  it('messages run concurrently up to a total weight, a heavier one alone, and each has its own result', async () => {
    const running = new Set<number>();
    const beside: number[][] = [];
    const run = inTurns<number>(
      async (value) => {
        running.add(value);
        await Promise.resolve();
        beside.push([...running]);
        running.delete(value);
        if (value === 90) throw new Error('throttled');
        return value;
      },
      { weigh: (value) => value, most: 100 },
    );
    const results = await run([10, 40, 90, 120, 5, 6]);
    expect(beside.map((some) => some.reduce((sum, one) => sum + one, 0)).every((sum) => sum <= 120)).toBe(true);
    expect(beside).toContainEqual([10, 40]);
    expect(beside).toContainEqual([120]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(results.map((one) => (one.status === 'fulfilled' ? one.value : undefined))).toEqual([
      10,
      40,
      undefined,
      120,
      5,
      6,
    ]);
  });
});

describe('the delay of a failed message', () => {
  it.each([
    [Number.NaN, 1],
    [0, 1],
    [1, 1],
    [2, 5],
    [3, 20],
    [5, 180],
    [7, 300],
    [1000, 300],
  ])('a failed message returns after receive %s with a delay of %i s', (receives, seconds) => {
    expect(returnDelay(receives)).toBe(seconds);
  });
});
