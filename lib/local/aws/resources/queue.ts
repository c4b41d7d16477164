// Reads AWS::SQS::Queue, with CloudFormation's defaults for absent properties.
import { z } from 'zod';
import { arn, parse, type Resource } from './resource.ts';

const seconds = (initial: number) => z.number().int().nonnegative().default(initial);
const queueProperties = z.object({
  QueueName: z.string().optional(),
  VisibilityTimeout: seconds(30),
  MessageRetentionPeriod: seconds(345_600),
  DelaySeconds: seconds(0),
  MaximumMessageSize: z.number().default(1_048_576),
  FifoQueue: z.literal(false, { error: 'only standard queues are played' }).optional(),
  RedrivePolicy: z.object({ deadLetterTargetArn: arn, maxReceiveCount: z.number().int().positive() }).optional(),
});

export interface QueueResource {
  readonly logicalId: string;
  readonly name: string;
  /** Seconds. */
  readonly visibilityTimeout: number;
  /** Attributes for CreateQueue, without the redrive policy. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly redrive?: { readonly deadLetterQueue: string; readonly maxReceiveCount: number };
}

export function readQueue(logicalId: string, { Properties }: Resource, stack: string): QueueResource {
  const { QueueName, RedrivePolicy, FifoQueue: _, ...numbers } = parse(logicalId, queueProperties, Properties);
  return {
    logicalId,
    name: QueueName ?? `${stack}-${logicalId}`,
    visibilityTimeout: numbers.VisibilityTimeout,
    attributes: Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)])),
    ...(RedrivePolicy && {
      redrive: { deadLetterQueue: RedrivePolicy.deadLetterTargetArn, maxReceiveCount: RedrivePolicy.maxReceiveCount },
    }),
  };
}
