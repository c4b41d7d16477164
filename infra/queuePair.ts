// A queue and its dead-letter queue.
import { Duration, Stack } from 'aws-cdk-lib';
import { Queue, QueueEncryption, type QueueProps, RedrivePermission } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { maxReceiveCount, type Stage } from '../lib/contract.ts';
import { alarmOnQueue } from './alarms.ts';
import { accept } from './nag.ts';
import type { SluiceProps } from './props.ts';
import { queueRemoval } from './queueRemoval.ts';

export interface QueuePairOptions {
  readonly stage: Stage;
  readonly queueName: string;
  /** Seconds. */
  readonly visibilityTimeout: number;
}

/** Longer than the retention of any source queue, because moved messages keep their age. */
const deadLetterRetention = Duration.days(14);
const retention = Duration.days(4);

export class QueuePair extends Construct {
  readonly queueName: string;
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, props: SluiceProps & { readonly pair: QueuePairOptions }) {
    super(scope, id);
    const { stage, queueName, visibilityTimeout } = props.pair;
    this.queueName = queueName;
    this.deadLetterQueue = this.createQueue('DeadLetters', props, {
      // Unique: names of clusters and stacks cannot contain an underscore.
      queueName: `${queueName}_dead`,
      retentionPeriod: deadLetterRetention,
      // By name: a reference would be circular.
      redriveAllowPolicy: { redrivePermission: RedrivePermission.BY_QUEUE, sourceQueues: [this.named(queueName)] },
    });
    accept(this.deadLetterQueue, 'endOfTheLine');
    this.queue = this.createQueue('Queue', props, {
      queueName,
      retentionPeriod: retention,
      visibilityTimeout: Duration.seconds(visibilityTimeout),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount: props.maxReceiveCount ?? maxReceiveCount },
    });
    alarmOnQueue(this, props, { stage, queueName, queue: this.queue, deadLetterQueue: this.deadLetterQueue });
  }

  private createQueue(id: string, installation: SluiceProps, props: QueueProps): Queue {
    const { enforceSSL = true } = installation;
    const removalPolicy = queueRemoval(installation);
    const queue = new Queue(this, id, { encryption: QueueEncryption.SQS_MANAGED, enforceSSL, removalPolicy, ...props });
    if (!enforceSSL) accept(queue, 'plainHttp');
    return queue;
  }

  private named(queueName: string) {
    return Queue.fromQueueArn(this, 'Source', Stack.of(this).formatArn({ service: 'sqs', resource: queueName }));
  }
}
