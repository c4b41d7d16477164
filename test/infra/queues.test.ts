// What the stack guarantees about its queues.
import { describe, expect, it } from 'vitest';
import { stageLimits, stages } from '../../lib/contract.ts';
import { readText } from '../house/sources.ts';
import { cluster, clusterOf, dig, install, referred } from './support/installation.ts';

const two = install({ clusters: [cluster, clusterOf('stage')] });
const queues = two.ofType('AWS::SQS::Queue');
const isDead = (one: { readonly properties: object }) => String(dig(one.properties, 'QueueName')).endsWith('_dead');
const isResend = (one: { readonly properties: object }) =>
  String(dig(one.properties, 'QueueName')).includes('-resend-');
const sources = queues.filter((one) => !isDead(one) && !isResend(one));
const functions = two.ofType('AWS::Lambda::Function');
const everything = (of: typeof two) => {
  const types = Object.values(of.template.Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
  return [...new Set(types)].flatMap((type) => of.ofType(type));
};

describe('queues', () => {
  it('every stage has one queue, and ingest one per cluster, named after the stack', () => {
    expect(sources.map((one) => one.properties.QueueName)).toEqual([
      'Sluice-ingest-prod',
      'Sluice-ingest-stage',
      'Sluice-evaluate',
      'Sluice-evict',
      'Sluice-report',
    ]);
  });

  it('every cluster has one resend queue, which drops messages after ten minutes', () => {
    const asked = queues.filter(isResend).map(({ properties }) => properties);
    expect(asked.map(({ QueueName }) => QueueName)).toEqual(['Sluice-resend-prod', 'Sluice-resend-stage']);
    for (const properties of asked) {
      expect(properties.MessageRetentionPeriod).toBe(600);
      expect(properties).not.toHaveProperty('RedrivePolicy');
    }
  });

  it('removing a cluster deletes its queues, and replaces nothing of the others', () => {
    const template = (of: typeof two) => new Map(everything(of).map((one) => [one.logicalId, one]));
    const [before, after] = [template(two), template(install())];
    const replaced = [...after].filter(([id, { path, type }]) => {
      const old = before.get(id);
      return old?.path !== path || old.type !== type;
    });
    expect(replaced).toEqual([]);
    const gone = [...before].filter(([id]) => !after.has(id)).map(([, { path }]) => path);
    expect(gone.filter((path) => !path.includes('stage'))).toEqual([]);
    expect(gone.filter((path) => /Queue-stage\/(Queue|DeadLetters)\/Resource$/.test(path))).toHaveLength(2);
  });

  it.each(sources)('queue $path moves a message to its dead-letter queue after eight receives', ({ properties }) => {
    const target = referred(dig(properties, 'RedrivePolicy', 'deadLetterTargetArn'));
    expect(dig(properties, 'RedrivePolicy', 'maxReceiveCount')).toBe(8);
    expect(queues.find((one) => one.logicalId === target)?.properties.QueueName).toBe(`${properties.QueueName}_dead`);
  });

  it('the default of maxReceiveCount in props.ts is what the queues have', () => {
    const [, said] =
      /set aside\. Default: (\d+)\. \*\/\n {2}readonly maxReceiveCount/.exec(readText('infra/props.ts')) ?? [];
    const deployed = sources.map(({ properties }) => dig(properties, 'RedrivePolicy', 'maxReceiveCount'));
    expect(new Set(deployed)).toEqual(new Set([Number(said)]));
  });

  it.each(sources)('dead letters of $path outlive messages, and come from this queue only', ({ properties }) => {
    const target = referred(dig(properties, 'RedrivePolicy', 'deadLetterTargetArn'));
    const dead = queues.find((one) => one.logicalId === target)?.properties ?? {};
    expect(dead.MessageRetentionPeriod).toBe(14 * 86_400);
    expect(Number(dead.MessageRetentionPeriod)).toBeGreaterThan(Number(properties.MessageRetentionPeriod));
    expect(dead).toMatchObject({ RedriveAllowPolicy: { redrivePermission: 'byQueue' } });
    const sourceArn = JSON.stringify(dig(dead, 'RedriveAllowPolicy', 'sourceQueueArns'));
    expect(sourceArn).toContain(`:${properties.QueueName}"`);
  });

  it.each(queues)('queue $path is encrypted and refuses plain HTTP', ({ logicalId, properties }) => {
    expect(properties.SqsManagedSseEnabled).toBe(true);
    const policy = two
      .ofType('AWS::SQS::QueuePolicy')
      .find((one) => referred(dig(one.properties, 'Queues', 0)) === logicalId);
    expect(dig(policy?.properties, 'PolicyDocument', 'Statement', 0)).toMatchObject({
      Effect: 'Deny',
      Action: 'sqs:*',
      Principal: { AWS: '*' },
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
  });

  it('queues accept plain HTTP only if enforceSSL is false', () => {
    expect(install({ enforceSSL: false }).ofType('AWS::SQS::QueuePolicy')).toEqual([]);
  });
});

describe('event source mappings', () => {
  const mappings = two.ofType('AWS::Lambda::EventSourceMapping');

  it('event source mappings lead every queue to exactly one function, and no dead-letter queue to any', () => {
    const consumed = mappings.map((one) => referred(one.properties.EventSourceArn));
    expect(consumed.sort()).toEqual(sources.map((one) => one.logicalId).sort());
  });

  it.each(mappings)(
    'event source mapping $path returns only failed records, and bounds its consumers',
    ({ properties }) => {
      const fn = functions.find((one) => one.logicalId === referred(properties.FunctionName));
      const stage = stages.find((name) => fn?.properties.Description === `Sluice ${name}`) ?? 'ingest';
      expect(properties).toMatchObject({
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BatchSize: stageLimits[stage].batchSize,
        ScalingConfig: { MaximumConcurrency: stageLimits[stage].maxConcurrency },
      });
    },
  );

  it.each(mappings)('a message of $path comes back after at least six times the timeout', ({ properties }) => {
    const queue = queues.find((one) => one.logicalId === referred(properties.EventSourceArn));
    const fn = functions.find((one) => one.logicalId === referred(properties.FunctionName));
    expect(queue?.properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * Number(fn?.properties.Timeout));
  });

  it('a shorter visibility timeout shortens the timeouts that would exceed it', () => {
    const quick = install({ visibilityTimeout: 6, maxReceiveCount: 3 });
    const queue = quick.one('AWS::SQS::Queue', 'Evict/Queue/Queue');
    expect(queue.properties).toMatchObject({ VisibilityTimeout: 6, RedrivePolicy: { maxReceiveCount: 3 } });
    expect(quick.one('AWS::Lambda::Function', '/Evict/').properties.Timeout).toBe(6);
  });

  it('one limit of a stage can be replaced without the others', () => {
    const own = install({ limits: { evict: { maxConcurrency: 7, timeout: 10 } } });
    expect(own.one('AWS::Lambda::EventSourceMapping', '/Evict/').properties).toMatchObject({
      ScalingConfig: { MaximumConcurrency: 7 },
      BatchSize: stageLimits.evict.batchSize,
    });
    expect(own.one('AWS::SQS::Queue', 'Evict/Queue/Queue').properties.VisibilityTimeout).toBe(60);
  });
});
