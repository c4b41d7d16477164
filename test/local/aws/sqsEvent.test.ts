// Which messages of a batch come back after a function's answer, and how a message with attributes looks to a function.
import { describe, expect, it } from 'vitest';
import { failedIds, sqsEventOf } from '../../../lib/local/aws/sqsEvent.ts';

const ids = ['a', 'b', 'c'];

describe('the answer of a function', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['none come back: null', null, []],
    ['none come back: no list', {}, []],
    ['none come back: list is null', { batchItemFailures: null }, []],
    ['none come back: empty list', { batchItemFailures: [] }, []],
    ['the named ones come back', { batchItemFailures: [{ itemIdentifier: 'b' }] }, ['b']],
    ['all come back: an unknown one is named', { batchItemFailures: [{ itemIdentifier: 'x' }] }, ids],
    ['all come back: an empty id', { batchItemFailures: [{ itemIdentifier: '' }] }, ids],
    ['all come back: another key', { batchItemFailures: [{ id: 'a' }] }, ids],
    ['all come back: one known, one not', { batchItemFailures: [{ itemIdentifier: 'a' }, null] }, ids],
    ['all come back: no list where one is expected', { batchItemFailures: 'a' }, ids],
  ])('the answer of a function decides which messages come back: %s', (_, answer, failed) => {
    expect([...failedIds(answer, ids)]).toEqual(failed);
  });
});

describe('a record of an SQS event', () => {
  it('a record of an SQS event spells attributes as Lambda does, not as the SQS API does', () => {
    const message = {
      MessageId: 'a',
      ReceiptHandle: 'r',
      Body: '{}',
      MD5OfBody: 'm',
      Attributes: { ApproximateReceiveCount: '1' },
      MD5OfMessageAttributes: 'ma',
      MessageAttributes: {
        text: { DataType: 'String', StringValue: 's' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
      },
    };
    expect(sqsEventOf([message], 'arn:q').Records).toEqual([
      {
        messageId: 'a',
        receiptHandle: 'r',
        body: '{}',
        attributes: { ApproximateReceiveCount: '1' },
        messageAttributes: {
          text: { dataType: 'String', stringValue: 's', stringListValues: [], binaryListValues: [] },
          bytes: { dataType: 'Binary', binaryValue: 'AQI=', stringListValues: [], binaryListValues: [] },
        },
        md5OfBody: 'm',
        md5OfMessageAttributes: 'ma',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:q',
        awsRegion: 'us-east-1',
      },
    ]);
  });
});
