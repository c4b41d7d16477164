// One stage: a function, its queues, and event source mappings.
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
  /** Queue names by cluster; the key is empty for a queue shared by all clusters. */
  readonly queueNames: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly callsClusters: boolean;
}

export class Stage extends Construct {
  readonly function: NodejsFunction;
  /** Queues by cluster; the key is empty for a queue shared by all clusters. */
  readonly queues: ReadonlyMap<string, QueuePair>;

  constructor(scope: Construct, id: string, props: SluiceProps & { readonly stage: StageOptions }) {
    super(scope, id);
    const { name, queueNames, environment, files, callsClusters } = props.stage;
    const limits: StageLimits = { ...stageLimits[name], ...props.limits?.[name] };
    const visibilityTimeout = props.visibilityTimeout ?? 6 * limits.timeout;
    // AWS refuses a mapping if the visibility timeout is shorter than the function timeout.
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
        // Evict and report messages of outbound clusters are received by the executor, not by a function.
        if (cluster === '' || name === 'ingest') this.consume(pair, limits, props.emulator ?? false);
        return [cluster, pair];
      }),
    );
  }

  /** The shared queue that other stages send to. Throws for ingest, which has one queue per cluster. */
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
      // Not reserved concurrency: pollers would over-fetch, and throttled messages would end in the dead-letter queue.
      maxConcurrency: limits.maxConcurrency,
    });
    accept(mapping, 'mappingWithoutDestination');
  }
}
