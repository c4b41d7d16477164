// Every part of the stack has its alarms, and every alarm notifies and leads to an entry of the runbook.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runbookEntries } from '../../lib/config/runbookEntries.ts';
import { alarmsOn, dimensionsOf } from './support/alarms.ts';
import {
  cluster,
  clusterOf,
  dig,
  install,
  installInto,
  project,
  type Resource,
  referred,
} from './support/installation.ts';

const stack = install();
const alarms = stack.ofType('AWS::CloudWatch::Alarm');
const runbook = readFileSync(path.join(project, 'docs/runbook.md'), 'utf8');

/** Heading, text up to the next heading of the same level. */
const articles = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [heading = '', ...lines] = text.split('\n');
      const anchor = heading
        .trim()
        .toLowerCase()
        .replace(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-');
      return [anchor, lines.join('\n')] as const;
    }),
);
const entryOf = (alarm: Resource) =>
  /docs\/runbook\.md#([a-z-]+)$/.exec(String(alarm.properties.AlarmDescription))?.[1];
const named = (name: string) => alarmsOn(alarms, name);

describe('runbook', () => {
  it.each(alarms)('$path leads to an entry of the runbook that exists', (alarm) => {
    expect([...articles.keys()]).toContain(entryOf(alarm));
  });

  it('the runbook has no entry without an alarm', () => {
    const entries = new Set(alarms.map(entryOf));
    expect([...entries].sort()).toEqual([...runbookEntries].sort());
  });

  it.each(runbookEntries)(
    'the runbook entry %s says what it means, how to investigate and how to resolve it',
    (entry) => {
      for (const part of ['**Description**', '**Investigation**', '**Resolution**'])
        expect(articles.get(entry)).toContain(part);
    },
  );

  it('alarms link to another runbook if its URL is set', () => {
    const own = install({ runbookUrl: 'https://wiki.example.com/sluice' }).ofType('AWS::CloudWatch::Alarm');
    for (const alarm of own)
      expect(alarm.properties.AlarmDescription).toMatch(/ Runbook: https:\/\/wiki\.example\.com\/sluice#[a-z-]+$/);
  });
});

describe('alarms', () => {
  it.each(stack.ofType('AWS::Lambda::Function'))('function $path has an alarm for errors', (fn) => {
    expect(named('Errors').map((one) => dimensionsOf(one).FunctionName)).toContain(fn.logicalId);
  });

  it.each(stack.ofType('AWS::SQS::Queue').filter((one) => one.properties.RedrivePolicy !== undefined))(
    'queue $path has an alarm for waiting messages and one for dead letters',
    (queue) => {
      const dead = referred(dig(queue.properties, 'RedrivePolicy', 'deadLetterTargetArn'));
      const watched = (name: string) => named(name).map((one) => dimensionsOf(one).QueueName);
      expect(watched('ApproximateAgeOfOldestMessage')).toContain(queue.logicalId);
      expect(watched('ApproximateNumberOfMessagesVisible')).toContain(dead);
    },
  );

  it('a single dead letter, poison message or refused eviction raises its alarm', () => {
    for (const name of ['ApproximateNumberOfMessagesVisible', 'MessagesPoison', 'EvictionsRefused']) {
      for (const alarm of named(name))
        expect(alarm.properties).toMatchObject({
          Threshold: 1,
          EvaluationPeriods: 1,
          ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        });
      expect(named(name)).not.toEqual([]);
    }
  });

  it('every cluster has an alarm for a silent watcher, which missing data raises', () => {
    const two = install({ clusters: [cluster, clusterOf('stage')] }).ofType('AWS::CloudWatch::Alarm');
    const silent = two.filter((one) => one.properties.MetricName === 'WatcherLag');
    expect(silent.map(dimensionsOf)).toEqual([{ cluster: 'prod' }, { cluster: 'stage' }]);
    for (const alarm of silent)
      expect(alarm.properties).toMatchObject({
        Statistic: 'SampleCount',
        TreatMissingData: 'breaching',
        ComparisonOperator: 'LessThanThreshold',
        EvaluationPeriods: 5,
      });
  });

  it('a sweep that does not run raises its alarm', () => {
    const [alarm] = named('Invocations');
    expect(alarm?.properties).toMatchObject({ TreatMissingData: 'breaching', Threshold: 1 });
    expect(alarm && dimensionsOf(alarm).FunctionName).toBe(stack.one('AWS::Lambda::Function', '/Sweep/').logicalId);
  });

  it('throttled reads and writes of the table raise an alarm', () => {
    const table = stack.one('AWS::DynamoDB::GlobalTable', 'State').logicalId;
    for (const name of ['ReadThrottleEvents', 'WriteThrottleEvents'])
      expect(named(name).map(dimensionsOf)).toEqual([{ TableName: table }]);
  });

  it('evict messages may wait in their queue for longer than the longest delay before an alarm', () => {
    const [evict] = named('ApproximateAgeOfOldestMessage').filter((one) => one.path.includes('/Evict/'));
    expect(evict?.properties.Threshold).toBeGreaterThan(900);
  });

  it('every alarm notifies the given topic', () => {
    const topic = 'arn:aws:sns:eu-west-1:123456789012:oncall';
    const own = installInto(() => ({ alarmActions: [{ bind: () => ({ alarmActionArn: topic }) }] }));
    for (const alarm of own.ofType('AWS::CloudWatch::Alarm')) expect(alarm.properties.AlarmActions).toEqual([topic]);
  });
});
