// Alarms and dashboard show what functions measure: one definition, in lib/contract.ts.
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../lib/lambda/powertools.ts';
import { createSqsHandler, each } from '../../lib/lambda/sqsHandler.ts';
import { type MetricName, metrics, metricsNamespace } from '../../lib/metrics.ts';
import { alarmsOn, dimensionsOf } from './support/alarms.ts';
import { asList, dig, install } from './support/installation.ts';

const stack = install();
const alarms = stack.ofType('AWS::CloudWatch::Alarm');
const named = (name: string) => alarmsOn(alarms, name);

describe("Sluice's own metrics", () => {
  /** Namespace, names and dimensions of one EMF line. */
  function emitted(line: string) {
    const body = JSON.parse(line);
    return body._aws.CloudWatchMetrics.map(
      (directive: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }) => ({
        namespace: directive.Namespace,
        names: directive.Metrics.map(({ Name }) => Name),
        dimensions: Object.fromEntries((directive.Dimensions[0] ?? []).map((name) => [name, body[name]])),
      }),
    );
  }

  it.each(['WatcherLag', 'EvictionsRefused', 'TokensDropped'] as const)(
    'the alarm of %s has the dimensions that the metric is written with',
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
      expect(emitted(lines[0] ?? '')).toContainEqual({
        namespace: metricsNamespace,
        names: [name],
        dimensions: alarm && dimensionsOf(alarm),
      });
    },
  );

  it('the alarm of poison messages has the dimensions that the metric is written with', async () => {
    const lines: string[] = [];
    const quiet = { info: () => {}, warn: () => {}, error: () => {} };
    const handler = createSqsHandler<string>({
      log: quiet,
      metrics: createMetrics(
        (line) => lines.push(line),
        () => 0,
      ),
      returnLater: async () => {},
      parse: () => ({ kind: 'Poison', why: 'test' }),
      run: each(async () => {}),
    });
    const record = { messageId: 'm', body: '{', eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:Sluice-evict' };
    const event: SQSEvent = { Records: [record as SQSRecord] };
    await handler(event, { getRemainingTimeInMillis: () => 1000 } as Parameters<typeof handler>[1]);
    const [alarm] = named('MessagesPoison');
    const names = ['MessagesPoison'];
    expect(emitted(lines[0] ?? '')).toMatchObject([
      { names, dimensions: { cluster: 'Sluice-evict' } },
      { names, dimensions: alarm && dimensionsOf(alarm) },
    ]);
  });

  it.each(alarms.filter((one) => one.properties.Namespace === metricsNamespace))(
    'alarm $path watches a metric of the contract',
    (alarm) => {
      expect(Object.keys(metrics)).toContain(alarm.properties.MetricName);
    },
  );

  it('a metric of Sluice is available for other alarms', () => {
    const metric = stack.sluice.metric('PaceError', 'prod');
    expect(metric).toMatchObject({ namespace: 'Sluice', metricName: 'PaceError', statistic: 'p99' });
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
      widgets: {
        type: string;
        x: number;
        y: number;
        width: number;
        height: number;
        properties: { markdown?: string; title?: string; alarms?: unknown[] };
      }[];
    };
  })();

  it('the dashboard fits one screen of 1920 by 1080: twelve rows, and no widget covers another', () => {
    const cells = body.widgets.flatMap(({ x, y, width, height }) =>
      Array.from({ length: width * height }, (_, i) => `${x + (i % width)} ${y + Math.floor(i / width)}`),
    );
    expect(Math.max(...body.widgets.map(({ y, height }) => y + height))).toBe(12);
    expect(Math.max(...body.widgets.map(({ x, width }) => x + width))).toBe(24);
    expect(new Set(cells).size).toBe(cells.length);
    expect(cells).toHaveLength(12 * 24);
  });

  it('the dashboard shows the state of every alarm beside the progress', () => {
    const [, alarmStates] = body.widgets;
    expect(alarmStates?.properties.alarms).toHaveLength(alarms.length);
  });

  it('the dashboard draws the progress of the chosen cluster first, by a function of its own', () => {
    const widget = stack.one('AWS::Lambda::Function', '/Widget/').logicalId;
    const [progress] = body.widgets;
    expect(progress).toMatchObject({ type: 'custom', properties: { endpoint: 'ref', params: { cluster: 'prod' } } });
    const value = stack.one('AWS::CloudWatch::Dashboard', 'Dashboard').properties.DashboardBody;
    expect(JSON.stringify(value)).toContain(JSON.stringify({ 'Fn::GetAtt': [widget, 'Arn'] }));
  });

  it('the dashboard gives no principal a permission to call the widget: the user who looks needs it', () => {
    expect(stack.ofType('AWS::Lambda::Permission').filter((one) => one.path.includes('/Widget/'))).toEqual([]);
  });

  it('the dashboard shows every metric of the contract', () => {
    const text = JSON.stringify(body);
    for (const name of Object.keys(metrics) as MetricName[]) expect(text).toContain(name);
  });

  it('the dashboard shows one cluster at a time, chosen from a list', () => {
    expect(body.variables).toMatchObject([
      { type: 'property', property: 'cluster', inputType: 'select', defaultValue: 'prod', values: [{ value: 'prod' }] },
    ]);
  });
});
