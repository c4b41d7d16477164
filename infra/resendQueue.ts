// Queue with requests to a cluster's watcher to send objects again.
import { Duration, Stack } from 'aws-cdk-lib';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { clusterQueue } from '../lib/contract.ts';
import { accept } from './nag.ts';
import type { SluiceProps } from './props.ts';
import { queueRemoval } from './queueRemoval.ts';

/** Short, because requests are repeated while the object is missing. */
const retention = Duration.minutes(10);

/** Time for the watcher to read a hundred objects by name. */
const visibility = Duration.minutes(2);

export function createResendQueue(scope: Construct, props: SluiceProps, cluster: string): Queue {
  const { enforceSSL = true } = props;
  const queue = new Queue(scope, 'Resend', {
    queueName: clusterQueue(`${Stack.of(scope).stackName}-evict`, 'resend', cluster),
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL,
    removalPolicy: queueRemoval(props),
    retentionPeriod: retention,
    visibilityTimeout: visibility,
  });
  accept(queue, 'requestsAreRepeated');
  accept(queue, 'requestsAreNotRedriven');
  if (!enforceSSL) accept(queue, 'plainHttp');
  return queue;
}

export function grantAnswering(queue: Queue, grantee: IGrantable): Grant {
  return queue.grant(grantee, 'sqs:DeleteMessage', 'sqs:ReceiveMessage');
}
