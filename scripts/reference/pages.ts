// Reference pages and the pictures of how Sluice decides, generated from CRDs and from tables of the code; a test compares them.
import { type MetricName, metricMeanings, metrics, metricsNamespace, upstreamMetrics } from '../../lib/metrics.ts';
import { conditions, type EventReason, eventReasons } from '../../lib/model/reasons.ts';
import { metricsText } from '../../lib/watcher/metricsText.ts';
import { annotationsPage } from './annotations.ts';
import { decidePictures } from './decidePictures.ts';
import { exampleEvents } from './events.ts';
import { kindsPage } from './kinds.ts';
import { linksFile, linksPage } from './links.ts';
import { table } from './markdown.ts';

const units = { Count: 'count', Gauge: 'count, not summed', Milliseconds: 'milliseconds' } as const;

function statusPage(): string {
  const ofConditions = Object.entries(conditions).map(([type, { on, meaning, reasons }]) => {
    const rows = Object.entries(reasons).map(([reason, text]) => [`\`${reason}\``, text]);
    return `### \`${type}\`\n\nOn ${on}. ${meaning}\n\n${table(['reason', 'meaning'], rows)}`;
  });
  const texts = Map.groupBy(exampleEvents(), ({ reason }) => reason);
  const ofEvents = Object.entries(eventReasons).map(([reason, { on, meaning }]) => {
    const events = texts.get(reason as EventReason) ?? [];
    const said = events.map(({ message }) => `\`\`\`text\n${message}\n\`\`\``).join('\n\n');
    return `### \`${reason}\`\n\n${events[0]?.type}, on ${on}. ${meaning}\n\n${said}`;
  });
  return `# Conditions and Events

What Sluice writes to objects. \`npm run generate:reference\` makes this page from \`lib/model/reasons.ts\`.

## Conditions

${ofConditions.join('\n\n')}

## Events

Each with a text as it is written for an example.

${ofEvents.join('\n\n')}
`;
}

/** Reads metric names from the metrics endpoint's text of a watcher that has not started, which has all of them. */
function watcherMetrics(): readonly (readonly string[])[] {
  const text = metricsText({ watcher: undefined, outbox: { state: { sent: 0, waiting: 0, refused: 0 } } } as never);
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(([, name = '', help = '', type = '']) => [
    `\`${name}\``,
    type,
    help,
  ]);
}

function metricsPage(): string {
  const own = Object.entries(metrics).map(([name, { unit, ...more }]) => [
    `\`${name}\``,
    units[unit],
    'isWatched' in more ? 'yes' : '',
    metricMeanings[name as MetricName],
  ]);
  const upstream = Object.entries(upstreamMetrics).map(([name, { name: shown, type }]) => [
    `\`${shown}\``,
    type,
    metricMeanings[name as MetricName],
  ]);
  return `# Metrics

\`npm run generate:reference\` makes this page from the tables of the code.

## CloudWatch

Namespace \`${metricsNamespace}\`, written as EMF by the functions. Every metric has one dimension, \`cluster\`; \`MessagesPoison\` has the name of the queue there, because a message that cannot be parsed names no cluster. One with "alarm" is also written without a dimension: its alarm adds up all clusters.

${table(['metric', 'unit', 'alarm', 'meaning'], own)}

## Prometheus

The watcher answers \`/metrics\`. The last two have the names and buckets of the in-tree controller ([ADR 0014](../adr/0014-upstream-metrics.md)).

${table(['metric', 'type', 'meaning'], [...watcherMetrics(), ...upstream])}
`;
}

/** File content by path. */
export function referencePages(): Readonly<Record<string, string>> {
  return {
    'docs/reference/kinds.md': kindsPage(),
    'docs/reference/annotations.md': annotationsPage(),
    'docs/reference/status.md': statusPage(),
    'docs/reference/metrics.md': metricsPage(),
    [linksFile]: linksPage(),
    ...decidePictures(),
  };
}
