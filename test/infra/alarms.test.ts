// Every alarm can ring, is heard, and leads to an entry of the runbook; the dashboard shows what the contract measures.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { runbookEntries } from '../../infra/runbook.ts';
import { type MetricName, metrics, metricsNamespace } from '../../lib/contract.ts';
import { createMetrics } from '../../lib/lambda/powertools.ts';
import { createSqsHandler, each } from '../../lib/lambda/sqsHandler.ts';
import {
  asList,
  cluster,
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
const named = (name: string) => alarms.filter((one) => one.properties.MetricName === name);

/** Dimensions with references as logical ids. */
function dimensionsOf(alarm: Resource): Readonly<Record<string, string>> {
  const dimensions = asList(alarm.properties.Dimensions ?? []).map((one) => {
    const value = dig(one, 'Value');
    return [String(dig(one, 'Name')), typeof value === 'string' ? value : referred(value)];
  });
  return Object.fromEntries(dimensions);
}

describe('runbook', () => {
  it.each(alarms)('$path leads to an entry that exists', (alarm) => {
    expect([...articles.keys()]).toContain(entryOf(alarm));
  });

  it('has no entry without an alarm', () => {
    const entries = new Set(alarms.map(entryOf));
    expect([...entries].sort()).toEqual([...runbookEntries].sort());
  });

  it.each(runbookEntries)('%s says what it means, how to investigate and how to resolve it', (entry) => {
    for (const part of ['**Description**', '**Investigation**', '**Resolution**'])
      expect(articles.get(entry)).toContain(part);
  });

  it('may be published elsewhere', () => {
    const own = install({ runbookUrl: 'https://wiki.example.com/sluice' }).ofType('AWS::CloudWatch::Alarm');
    for (const alarm of own)
      expect(alarm.properties.AlarmDescription).toMatch(/ Runbook: https:\/\/wiki\.example\.com\/sluice#[a-z-]+$/);
  });
});

describe('alarms', () => {
  it.each(stack.ofType('AWS::Lambda::Function'))('$path has one for errors, throttles and stopped loops', (fn) => {
    for (const name of ['Errors', 'Throttles', 'RecursiveInvocationsDropped'])
      expect(named(name).map((one) => dimensionsOf(one).FunctionName)).toContain(fn.logicalId);
  });

  it.each(stack.ofType('AWS::SQS::Queue').filter((one) => one.properties.RedrivePolicy !== undefined))(
    '$path has one for waiting messages, for dead letters and for poison',
    (queue) => {
      const dead = referred(dig(queue.properties, 'RedrivePolicy', 'deadLetterTargetArn'));
      const watched = (name: string) => named(name).map((one) => dimensionsOf(one).QueueName);
      expect(watched('ApproximateAgeOfOldestMessage')).toContain(queue.logicalId);
      expect(watched('ApproximateNumberOfMessagesVisible')).toContain(dead);
      expect(named('MessagesPoison').map((one) => dimensionsOf(one).cluster)).toContain(queue.properties.QueueName);
    },
  );

  it('a single dead letter, poison message or refused eviction is enough', () => {
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

  it('a watcher of which nothing is heard is as silent as one that counts nothing; every cluster has its own', () => {
    const two = install({ clusters: [cluster, { ...cluster, name: 'stage' }] }).ofType('AWS::CloudWatch::Alarm');
    const silent = two.filter((one) => one.properties.MetricName === 'WatcherHeartbeat');
    expect(silent.map(dimensionsOf)).toEqual([{ cluster: 'prod' }, { cluster: 'stage' }]);
    for (const alarm of silent)
      expect(alarm.properties).toMatchObject({
        TreatMissingData: 'breaching',
        ComparisonOperator: 'LessThanThreshold',
        EvaluationPeriods: 5,
      });
  });

  it('a sweep that does not run rings, too', () => {
    const [alarm] = named('Invocations');
    expect(alarm?.properties).toMatchObject({ TreatMissingData: 'breaching', Threshold: 1 });
    expect(alarm && dimensionsOf(alarm).FunctionName).toBe(stack.one('AWS::Lambda::Function', '/Sweep/').logicalId);
  });

  it('throttled reads and writes of the table ring', () => {
    const table = stack.one('AWS::DynamoDB::GlobalTable', 'State').logicalId;
    for (const name of ['ReadThrottleEvents', 'WriteThrottleEvents'])
      expect(named(name).map(dimensionsOf)).toEqual([{ TableName: table }]);
  });

  it('pace messages may lie in their queue for as long as a delay can be', () => {
    const [pace] = named('ApproximateAgeOfOldestMessage').filter((one) => one.path.includes('/Pace/'));
    expect(pace?.properties.Threshold).toBeGreaterThan(900);
  });

  it('all tell whom they are to tell', () => {
    const topic = 'arn:aws:sns:eu-west-1:123456789012:oncall';
    const own = installInto(() => ({ alarmActions: [{ bind: () => ({ alarmActionArn: topic }) }] }));
    for (const alarm of own.ofType('AWS::CloudWatch::Alarm')) expect(alarm.properties.AlarmActions).toEqual([topic]);
  });
});

describe("Sluice's own metrics", () => {
  /** Namespace, names and dimensions of one EMF line. */
  function emitted(line: string) {
    const body = JSON.parse(line);
    const [directive] = body._aws.CloudWatchMetrics;
    const dimensions = Object.fromEntries(directive.Dimensions[0].map((name: string) => [name, body[name]]));
    return {
      namespace: directive.Namespace,
      names: directive.Metrics.map(({ Name }: { Name: string }) => Name),
      dimensions,
    };
  }

  it.each(['WatcherHeartbeat', 'EvictionsRefused'] as const)(
    '%s rings under the dimensions it is written with',
    (name) => {
      const lines: string[] = [];
      const written = createMetrics(
        (line) => lines.push(line),
        () => 0,
      );
      written.add(name, 1, 'prod');
      written.flush();
      const [alarm] = named(name);
      expect(alarm?.properties.Namespace).toBe(metricsNamespace);
      expect(emitted(lines[0] ?? '')).toEqual({
        namespace: metricsNamespace,
        names: [name],
        dimensions: alarm && dimensionsOf(alarm),
      });
    },
  );

  it('poison rings under the dimensions it is written with', async () => {
    const lines: string[] = [];
    const quiet = { info: () => {}, warn: () => {}, error: () => {} };
    const handler = createSqsHandler<string>({
      log: quiet,
      metrics: createMetrics(
        (line) => lines.push(line),
        () => 0,
      ),
      parse: () => ({ kind: 'Poison', why: 'test' }),
      run: each(async () => {}),
    });
    const record = { messageId: 'm', body: '{', eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:Sluice-pace' };
    const event: SQSEvent = { Records: [record as SQSRecord] };
    await handler(event, { getRemainingTimeInMillis: () => 1000 } as Parameters<typeof handler>[1]);
    const pace = named('MessagesPoison').find((one) => one.path.includes('/Pace/'));
    expect(emitted(lines[0] ?? '')).toMatchObject({
      names: ['MessagesPoison'],
      dimensions: pace && dimensionsOf(pace),
    });
  });

  it.each(alarms.filter((one) => one.properties.Namespace === metricsNamespace))(
    '$path watches a metric of the contract',
    (alarm) => {
      expect(Object.keys(metrics)).toContain(alarm.properties.MetricName);
    },
  );

  it('can be had for alarms of one own', () => {
    const metric = stack.sluice.metric('EvictionLatenessMs', 'prod');
    expect(metric).toMatchObject({ namespace: 'Sluice', metricName: 'EvictionLatenessMs', statistic: 'p99' });
    expect(metric.dimensions).toEqual({ cluster: 'prod' });
  });
});

describe('dashboard', () => {
  /** The body with references left out. */
  const body = (() => {
    const value = stack.one('AWS::CloudWatch::Dashboard', 'Dashboard').properties.DashboardBody;
    const parts = asList(dig(value, 'Fn::Join', 1));
    return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : 'ref')).join('')) as {
      variables: unknown[];
      widgets: { type: string; properties: { markdown?: string; title?: string; alarms?: unknown[] } }[];
    };
  })();

  it('goes from the watchers to the dead letters', () => {
    expect(body.widgets.flatMap((one) => one.properties.markdown ?? [])).toEqual([
      '## Watchers',
      '## Ingest',
      '## State',
      '## Pacing',
      '## Evictions',
      '## Dead letters and functions',
    ]);
  });

  it('begins with the state of every alarm', () => {
    expect(body.widgets[0]?.properties.alarms).toHaveLength(alarms.length);
  });

  it('shows every metric of the contract', () => {
    const text = JSON.stringify(body);
    for (const name of Object.keys(metrics) as MetricName[]) expect(text).toContain(name);
  });

  it('shows one cluster at a time, to be chosen from a list', () => {
    expect(body.variables).toMatchObject([
      { type: 'property', property: 'cluster', inputType: 'select', defaultValue: 'prod', values: [{ value: 'prod' }] },
    ]);
  });
});
