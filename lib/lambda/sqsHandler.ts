// The middy stack of all queue functions: parses each record, runs the step, and returns the records to retry.
import middy from '@middy/core';
import sqsPartialBatchFailure from '@middy/sqs-partial-batch-failure';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ReturningMessage, ReturnLater } from '../adapters/sqs/visibility.ts';
import type { Log } from '../ports.ts';
import { isComeBack } from '../steps/step.ts';
import type { FlushedMetrics } from './powertools.ts';
import { returnDelay } from './returnDelay.ts';

/** The parsed body of a record. A `Poison` record is logged, counted and acknowledged. */
export type ParsedRecord<T> =
  | { readonly kind: 'Parsed'; readonly value: T }
  | { readonly kind: 'Poison'; readonly why: string };

export interface SqsStage<T> {
  readonly log: Log;
  readonly metrics: FlushedMetrics;
  readonly returnLater: ReturnLater;
  readonly parse: (record: SQSRecord) => ParsedRecord<T>;
  /** One settled result per value, in order; rejected values and `ComeBack` results return to the queue. */
  readonly run: (values: readonly T[]) => Promise<readonly PromiseSettledResult<unknown>[]>;
}

/** Returns the records to retry (partial batch response). */
export type SqsHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** Each record fails on its own: the other nine of a batch are not processed again. */
export function createSqsHandler<T>(stage: SqsStage<T>): SqsHandler {
  const handler = async (event: SQSEvent): Promise<readonly PromiseSettledResult<unknown>[]> => {
    const parsed = event.Records.map((record) => ({ record, result: stage.parse(record) }));
    const values = parsed.flatMap(({ result }) => (result.kind === 'Parsed' ? [result.value] : []));
    const results = values.length === 0 ? [] : await stage.run(values);
    let next = 0;
    const settled = parsed.map(({ record, result }): PromiseSettledResult<unknown> => {
      if (result.kind === 'Poison') return poison(stage, record, result.why);
      return results[next++] ?? { status: 'rejected', reason: new Error('no result') };
    });
    const returning = event.Records.flatMap((record, i) => returningMessage(stage, record, settled[i]) ?? []);
    await giveBack(stage, returning);
    stage.metrics.flush();
    return settled.map((outcome) => (wantsBack(outcome) ? { status: 'rejected', reason: 'wanted again' } : outcome));
  };
  // The middleware converts the results to the response that AWS Lambda expects; middy's types do not cover this.
  return middy(handler).use(sqsPartialBatchFailure({ logger: () => {} })) as unknown as SqsHandler;
}

function poison(
  stage: Pick<SqsStage<unknown>, 'log' | 'metrics'>,
  record: SQSRecord,
  why: string,
): PromiseSettledResult<unknown> {
  const queue = record.eventSourceARN.split(':').at(-1) ?? 'unknown';
  stage.log.error('poison message dropped', {
    messageId: record.messageId,
    queue,
    why,
    body: record.body.slice(0, 1000),
  });
  stage.metrics.add('MessagesPoison', 1, queue);
  return { status: 'fulfilled', value: undefined };
}

function wantsBack(outcome: PromiseSettledResult<unknown>): boolean {
  return outcome.status === 'fulfilled' && isComeBack(outcome.value);
}

/** When a record should be received again; `undefined` if it is done. */
function returningMessage(
  stage: Pick<SqsStage<unknown>, 'log'>,
  record: SQSRecord,
  outcome: PromiseSettledResult<unknown> | undefined,
): ReturningMessage | undefined {
  const of = { queueArn: record.eventSourceARN, receiptHandle: record.receiptHandle };
  if (outcome?.status === 'fulfilled')
    return isComeBack(outcome.value) ? { ...of, seconds: outcome.value.seconds } : undefined;
  logRetry(stage, record, outcome?.reason);
  return { ...of, seconds: returnDelay(Number(record.attributes.ApproximateReceiveCount)) };
}

function logRetry(stage: Pick<SqsStage<unknown>, 'log'>, record: SQSRecord, reason: unknown): void {
  const receives = record.attributes.ApproximateReceiveCount;
  const error = reason instanceof Error ? reason : new Error(String(reason));
  stage.log.error('message will come back', {
    messageId: record.messageId,
    receives,
    why: error.message,
    stack: error.stack,
  });
}

/** If this fails, the messages return after the queue's visibility timeout. */
async function giveBack(
  { returnLater, log }: Pick<SqsStage<unknown>, 'returnLater' | 'log'>,
  messages: readonly ReturningMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  await returnLater(messages).catch((error: unknown) =>
    log.warn('failed messages come back only after the visibility time-out', { why: String(error) }),
  );
}

/** For steps that process one message at a time. */
export function each<T>(step: (value: T) => Promise<unknown>): SqsStage<T>['run'] {
  return (values) => Promise.allSettled(values.map((value) => step(value)));
}

/**
 * Runs values concurrently while their total weight is at most `most`: a large one runs alone, and its results are reported before the next
 * batch starts.
 */
export function inTurns<T>(
  step: (value: T) => Promise<unknown>,
  { weigh, most }: { readonly weigh: (value: T) => number; readonly most: number },
): SqsStage<T>['run'] {
  return async (values) => {
    const results: PromiseSettledResult<unknown>[] = [];
    let turn: T[] = [];
    const end = async () => {
      results.push(...(await each(step)(turn)));
      turn = [];
    };
    for (const value of values) {
      const together = [...turn, value].reduce((sum, one) => sum + weigh(one), 0);
      if (turn.length > 0 && together > most) await end();
      turn.push(value);
    }
    await end();
    return results;
  };
}
