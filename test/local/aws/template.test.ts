// What is read of a template, and which templates are refused, with the resource at fault.
import { afterEach, describe, expect, it } from 'vitest';
import { readAssembly } from '../../../lib/local/aws/template.ts';
import { type CopiedAssembly, copyAssembly, type Template } from './assembly.ts';

let copied: CopiedAssembly;
afterEach(() => copied.remove());

function read(change?: (template: Template) => void) {
  copied = copyAssembly(change);
  return readAssembly(copied.folder);
}

/** Changes properties of one resource; undefined removes one. */
const set = (id: string, properties: Record<string, unknown>) => (template: Template) => {
  const resource = template.Resources[id];
  if (!resource) throw new Error(`the fixture has no ${id}`);
  resource.Properties = { ...resource.Properties, ...properties };
};

describe('a template', () => {
  it('a template gives queues with dead-letter queues, functions, mappings and schedules, with the defaults of CloudFormation', () => {
    const { queues, functions, mappings, schedules, table } = read();
    expect(table).toMatchObject({ logicalId: 'State1', TimeToLiveSpecification: { AttributeName: 'ttl' } });
    expect(queues.find((one) => one.logicalId === 'Work1')).toMatchObject({
      name: 'Sluice-work',
      visibilityTimeout: 1,
      redrive: { deadLetterQueue: 'WorkDead1', maxReceiveCount: 3 },
    });
    expect(queues.find((one) => one.logicalId === 'Off1')).toMatchObject({
      name: 'Sluice-Off1',
      visibilityTimeout: 30,
      attributes: { MessageRetentionPeriod: '345600', DelaySeconds: '0' },
    });
    expect(functions.find((one) => one.logicalId === 'Clock1')).toMatchObject({
      stage: 'Clock',
      timeoutSeconds: 3,
      memoryMiB: 128,
      environment: {},
    });
    expect(
      mappings.map(({ queue, batchSize, enabled, maxConcurrency, reportsFailures }) => ({
        queue,
        batchSize,
        enabled,
        maxConcurrency,
        reportsFailures,
      })),
    ).toEqual([
      { queue: 'Work1', batchSize: 10, enabled: true, maxConcurrency: 4, reportsFailures: true },
      { queue: 'Solo1', batchSize: 1, enabled: true, maxConcurrency: 2, reportsFailures: true },
      { queue: 'Off1', batchSize: 10, enabled: false, maxConcurrency: 1250, reportsFailures: false },
    ]);
    expect(schedules).toEqual([{ logicalId: 'EveryMinute1', function: 'Clock1', enabled: true, everyMinutes: 1 }]);
  });

  it.each([
    ['rate(5 minutes)', 5],
    ['rate(1 hour)', 60],
    ['rate(2 days)', 2880],
  ])('a schedule of %s runs every %i minutes', (ScheduleExpression, everyMinutes) => {
    expect(read(set('EveryMinute1', { ScheduleExpression })).schedules[0]?.everyMinutes).toBe(everyMinutes);
  });

  const bucket = (template: Template) => {
    template.Resources.Bucket1 = { Type: 'AWS::S3::Bucket', Properties: {} };
  };
  const secondTable = (template: Template) => {
    template.Resources.State2 = { ...(template.Resources.State1 ?? { Type: '', Properties: {} }) };
  };
  const stream = { 'Fn::GetAtt': ['State1', 'StreamArn'] };
  it.each<[string, (template: Template) => void, RegExp]>([
    ['a type that is not simulated', bucket, /Bucket1 .*no AWS::S3::Bucket/],
    ['two tables', secondTable, /one DynamoDB table expected, 2 found/],
    ['a table without keys', set('State1', { KeySchema: [] }), /State1 .*KeySchema/s],
    ['a FIFO queue', set('Work1', { FifoQueue: true }), /Work1 .*standard queues/s],
    ['a queue name that is computed', set('Work1', { QueueName: { Ref: 'X' } }), /Work1 .*QueueName/s],
    [
      'a dead-letter queue of elsewhere',
      set('Work1', { RedrivePolicy: { deadLetterTargetArn: 'arn:aws:sqs:x', maxReceiveCount: 3 } }),
      /Work1 .*deadLetterTargetArn/s,
    ],
    [
      'a dead-letter queue that is none',
      set('Work1', { RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['State1', 'Arn'] }, maxReceiveCount: 3 } }),
      /Work1 .*dead-letter queue State1/,
    ],
    ['another runtime', set('Worker1', { Runtime: 'python3.13' }), /Worker1 .*Node\.js/s],
    ['a layer', set('Worker1', { Layers: ['arn'] }), /Worker1 .*layers/s],
    ['a handler without an export', set('Worker1', { Handler: 'index' }), /Worker1 .*file\.export/s],
    ['a stream as event source', set('FromWork1', { EventSourceArn: stream }), /FromWork1 .*EventSourceArn/s],
    ['a filter', set('FromWork1', { FilterCriteria: { Filters: [] } }), /FromWork1 .*filters/s],
    ['a batch without a window', set('FromWork1', { BatchSize: 11 }), /FromWork1 .*batching window/s],
    [
      'a queue that is not there',
      set('FromWork1', { EventSourceArn: { 'Fn::GetAtt': ['Gone1', 'Arn'] } }),
      /FromWork1 .*Gone1/,
    ],
    ['a function that is not there', set('FromWork1', { FunctionName: { Ref: 'Gone1' } }), /FromWork1 .*Gone1/],
    ['visibility below the time-out', set('Worker1', { Timeout: 2 }), /FromWork1 .*AWS refuses/],
    ['a cron schedule', set('EveryMinute1', { ScheduleExpression: 'cron(* * * * ? *)' }), /EveryMinute1 .*rate/s],
    ['a rule without a schedule', set('EveryMinute1', { ScheduleExpression: undefined }), /EveryMinute1 .*schedule/s],
    [
      'a schedule of what is not there',
      set('EveryMinute1', { Targets: [{ Arn: { 'Fn::GetAtt': ['Gone1', 'Arn'] } }] }),
      /EveryMinute1 .*Gone1/,
    ],
  ])('a template is refused with the resource at fault: %s', (_, change, why) => {
    expect(() => read(change)).toThrow(why);
    expect(() => read(change)).toThrow(/^template: /);
  });
});
