// The dashboard of the template as one page: each widget at its place in the grid, drawn from recorded metrics.
import { renderWidget } from '../../../lib/view/html.ts';
import type { ClusterProgress } from '../../../lib/view/progress.ts';
import type { MetricStore, Statistic } from '../../alarms/metricStore.ts';
import { asList, dig, referred } from '../../infra/support/installation.ts';

interface Widget {
  readonly type: 'custom' | 'alarm' | 'metric';
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly metrics?: readonly (readonly unknown[])[];
    readonly alarms?: readonly string[];
  };
}

export interface Recorded {
  readonly progress: ClusterProgress;
  readonly metrics: MetricStore;
  /** By the logical id of the alarm. */
  readonly alarmStates: ReadonlyMap<string, { readonly name: string; readonly state: string }>;
  /** Epoch milliseconds. */
  readonly from: number;
  readonly until: number;
}

/** CloudWatch's grid: columns share the width, rows have 60 pixels; above them are navigation, title and controls. */
const grid = { columns: 24, rowPixels: 60, gapPixels: 8, abovePixels: 140 };
const period = 60_000;
const colours = ['#1f77b4', '#ff7f0e', '#2ca02c', '#d62728', '#9467bd', '#8c564b', '#e377c2', '#7f7f7f', '#bcbd22'];

/** The widgets of DashboardBody, with references as logical ids. */
export function widgetsOf(dashboardBody: unknown): readonly Widget[] {
  const parts = asList(dig(dashboardBody, 'Fn::Join', 1));
  return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : referred(part))).join('')).widgets;
}

export function renderDashboard(widgets: readonly Widget[], recorded: Recorded): string {
  const { columns, rowPixels, gapPixels, abovePixels } = grid;
  const cells = widgets.map((one, i) => {
    const place = `grid-area:${one.y + 1}/${one.x + 1}/span ${one.height}/span ${one.width}`;
    return `<section id="w${i}" class="cell ${one.type}" style="${place}"><h2>${one.properties.title ?? ''}</h2><div class="inside">${inside(one, recorded)}</div></section>`;
  });
  return `<!doctype html><html><head><style>
body{margin:0;font:12px sans-serif;background:#f2f3f3}#above{height:${abovePixels}px;background:#fff}
#grid{display:grid;grid-template-columns:repeat(${columns},1fr);grid-auto-rows:${rowPixels - gapPixels}px;gap:${gapPixels}px;padding:0 ${gapPixels}px}
.cell{background:#fff;display:flex;flex-direction:column;min-width:0;min-height:0;overflow:hidden}.cell>h2{font-size:13px;line-height:20px;margin:2px 8px}
.inside{flex:1;min-height:0;min-width:0;overflow:auto}.chart{display:flex;height:100%}.chart svg{flex:1;min-width:0;height:100%}.chart ul{margin:0;padding:0 6px;width:38%;overflow:hidden;list-style:none;font-size:10px;line-height:12px;white-space:nowrap}
.alarms{display:flex;flex-wrap:wrap;gap:3px;padding:0 8px}.alarms span{padding:1px 5px;font-size:10px;border-radius:2px;background:#d5f0d5}.alarms .ALARM{background:#f5b7b1}.alarms .INSUFFICIENT_DATA{background:#e5e5e5}
</style></head><body><div id="above"></div><div id="grid">${cells.join('\n')}</div></body></html>`;
}

function inside({ type, properties }: Widget, recorded: Recorded): string {
  switch (type) {
    case 'custom':
      return renderWidget(recorded.progress);
    case 'alarm':
      return `<div class="alarms">${(properties.alarms ?? []).map((id) => alarmBox(id, recorded)).join('')}</div>`;
    case 'metric':
      return chart(properties.metrics ?? [], recorded);
    default:
      return type satisfies never;
  }
}

function alarmBox(id: string, { alarmStates }: Recorded): string {
  const found = alarmStates.get(id);
  if (!found) throw new Error(`no alarm ${id} was recorded`);
  return `<span class="${found.state}">${found.name}</span>`;
}

interface Line {
  readonly label: string;
  readonly points: readonly (number | undefined)[];
}

function chart(metrics: readonly (readonly unknown[])[], recorded: Recorded): string {
  const lines = metrics.flatMap((one) =>
    typeof one[0] === 'string' ? [lineOf(one as readonly string[], recorded)] : [],
  );
  const most = Math.max(1, ...lines.flatMap(({ points }) => points.map((one) => one ?? 0)));
  const drawn = lines.map(({ points }, i) => {
    const at = points.flatMap((value, x) =>
      value === undefined
        ? []
        : [`${((100 * x) / (points.length - 1)).toFixed(1)},${(38 - (36 * value) / most).toFixed(1)}`],
    );
    return `<polyline fill="none" stroke="${colours[i % colours.length]}" vector-effect="non-scaling-stroke" points="${at.join(' ')}"/>`;
  });
  const legend = lines.map(({ label, points }, i) => {
    const last = points.findLast((one) => one !== undefined);
    return `<li data-points="${points.filter((one) => one !== undefined).length}"><b style="color:${colours[i % colours.length]}">▬</b> ${label} ${last === undefined ? 'no data' : Math.round(last * 10) / 10}</li>`;
  });
  return `<div class="chart"><svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img">${drawn.join('')}</svg><ul>${legend.join('')}</ul></div>`;
}

/** `[namespace, name, dimension, value, …, options]`. */
function lineOf(metric: readonly string[], { metrics, from, until }: Recorded): Line {
  const options = metric.at(-1);
  const [namespace = '', name = '', ...pairs] = metric.filter((one) => typeof one === 'string');
  const dimensions: Record<string, string> = {};
  for (let i = 0; i + 1 < pairs.length; i += 2) dimensions[pairs[i] ?? ''] = pairs[i + 1] ?? '';
  const stat = String(dig(options, 'stat') ?? 'Average');
  const statistic = (/^p\d/.test(stat) ? 'Maximum' : stat) as Statistic;
  const points = Array.from({ length: Math.ceil((until - from) / period) }, (_, i) =>
    metrics.statistic({ namespace, name, dimensions }, { statistic, from: from + i * period, period }),
  );
  return { label: String(dig(options, 'label') ?? name), points };
}
