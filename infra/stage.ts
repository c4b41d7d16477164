// One stage of the flow: a function, its queues, and the event source mappings between them.
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import { type Stage as StageName, stageLimits } from '../lib/contract.ts';
import { createFunction } from './function.ts';
import { grantConsume } from './grants.ts';
import { accept } from './nag.ts';
import type { SluiceProps, StageLimits } from './props.ts';
import { QueuePair } from './queuePair.ts';

export interface StageOptions {
  readonly name: StageName;
  /** Physical name of the queue by cluster, or under the empty string where all clusters share one. */
  readonly queueNames: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly callsClusters: boolean;
}

export class Stage extends Construct {
  readonly function: NodejsFunction;
  /** By cluster, or under the empty string where all clusters share one. */
  readonly queues: ReadonlyMap<string, QueuePair>;

  constructor(scope: Construct, id: string, props: SluiceProps & { readonly stage: StageOptions }) {
    super(scope, id);
    const { name, queueNames, environment, files, callsClusters } = props.stage;
    const limits: StageLimits = { ...stageLimits[name], ...props.limits?.[name] };
    const visibilityTimeout = props.visibilityTimeout ?? 6 * limits.timeout;
    // AWS refuses a mapping whose messages come back while the function may still be at work on them.
    const timeout = Math.min(limits.timeout, visibilityTimeout);
    this.function = createFunction(this, props, {
      name,
      timeout,
      memoryMiB: limits.memoryMiB,
      environment,
      files,
      callsClusters,
    });
    this.queues = new Map(
      Object.entries(queueNames).map(([cluster, queueName]) => {
        const pairId = cluster === '' ? 'Queue' : `Queue-${cluster}`;
        const pair = new QueuePair(this, pairId, { ...props, pair: { stage: name, queueName, visibilityTimeout } });
        // Where evict and report run in the cluster, no function takes their messages.
        if (cluster === '' || name === 'ingest') this.consume(pair, limits, props.emulator ?? false);
        return [cluster, pair];
      }),
    );
  }

  /** The queue that other stages send to; ingest, which has one per cluster, has none. */
  get queue(): QueuePair {
    const pair = this.queues.get('');
    if (!pair) throw new Error(`${this.node.path} has a queue per cluster: name the cluster`);
    return pair;
  }

  private consume({ node, queue }: QueuePair, limits: StageLimits, emulator: boolean): void {
    grantConsume(queue, this.function, { emulator });
    const mapping = new EventSourceMapping(this, `From-${node.id}`, {
      target: this.function,
      eventSourceArn: queue.queueArn,
      batchSize: limits.batchSize,
      reportBatchItemFailures: true,
      // Never reserved concurrency: its pollers over-fetch, and healthy messages end among the dead letters.
      maxConcurrency: limits.maxConcurrency,
    });
    accept(mapping, 'mappingWithoutDestination');
  }
}
