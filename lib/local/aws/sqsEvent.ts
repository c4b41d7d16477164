// SQS event and batch response of a function, as documented by AWS Lambda.
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import { localRegion } from './account.ts';

export function sqsEventOf(messages: readonly Message[], queueArn: string): { readonly Records: readonly object[] } {
  return { Records: messages.map((message) => recordOf(message, queueArn)) };
}

function recordOf(message: Message, queueArn: string): object {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attributeOf(value)]);
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.MD5OfBody,
    ...(message.MD5OfMessageAttributes === undefined ? {} : { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: localRegion,
  };
}

function attributeOf({ DataType, StringValue, BinaryValue }: MessageAttributeValue): object {
  return {
    dataType: DataType,
    ...(StringValue === undefined ? {} : { stringValue: StringValue }),
    ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
  };
}

/**
 * Ids of messages to redeliver. An invalid response, such as an unknown or empty message id, redelivers the whole batch
 * (AWS Lambda, "Implementing partial batch responses").
 */
export function failedIds(answer: unknown, ids: readonly string[]): ReadonlySet<string> {
  const failures = isRecord(answer) ? answer.batchItemFailures : undefined;
  if (failures === undefined || failures === null) return new Set();
  if (!Array.isArray(failures)) return new Set(ids);
  const named = failures.map((failure: unknown) => (isRecord(failure) ? failure.itemIdentifier : undefined));
  const known = ids.filter((id) => named.includes(id));
  return new Set(named.every((id) => ids.some((one) => one === id)) ? known : ids);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
