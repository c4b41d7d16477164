// Static SVG of one limiter: a progress bar, and a chart of evictions per second against the rate.
import { type Markup, markup } from './markup.ts';
import type { LimiterProgress } from './progress.ts';
import { numberText } from './words.ts';

/** `high`: percent of the bar's height, so that the parts differ not by colour alone. */
type Segment = readonly [className: string, pods: number, high: number];

/** Bar of evicted, deleting, pending and waiting pods, with ARIA role and values for screen readers. */
export function renderProgressBar(limiter: LimiterProgress): Markup {
  const { counts, total } = limiter;
  const segments: readonly Segment[] = [
    ['evicted', counts.evicted, 100],
    ['deleting', counts.deleting, 80],
    ['pending', counts.pending, 60],
    ['waiting', counts.waiting, 40],
  ];
  let x = 0;
  const rects = segments.flatMap(([name, pods, high]) => {
    if (pods === 0 || total === 0) return [];
    const width = (100 * pods) / total;
    const rect = markup`<rect class="${name}" x="${round(x)}%" y="${100 - high}%" width="${round(width)}%" height="${high}%"/>`;
    x += width;
    return [rect];
  });
  return markup`<svg class="bar" role="progressbar" aria-label="pods evicted by ${limiter.name}" aria-valuemin="0" aria-valuemax="${total}" aria-valuenow="${counts.evicted}" aria-valuetext="${counts.evicted} of ${total} pods evicted" width="100%" height="10"><rect class="track" width="100%" height="100%"/>${rects}</svg>`;
}

const width = 520;
const height = 112;
const left = 64;
const top = 14;
const bottom = 92;

/** One bar per second; the dashed line is the limiter's rate. */
export function renderRateChart({ perSecond, rate, name }: LimiterProgress): Markup {
  const most = Math.max(0, ...perSecond);
  const ceiling = Math.max(rate.perSecond, most, 1) * 1.15;
  const y = (value: number) => round(bottom - ((bottom - top) * value) / ceiling);
  const step = (width - left - 4) / perSecond.length;
  // One path: a rectangle per second would be most of what an update of the page sends.
  const bars = perSecond.flatMap((count, i) =>
    count === 0 ? [] : [`M${round(left + i * step)} ${bottom}V${y(count)}h${round(step * 0.8)}V${bottom}z`],
  );
  const label = `Deletes per second for ${name} in the last ${spanText(perSecond.length)}: at most ${most}, rate limit ${numberText(rate.perSecond)} per second, burst ${numberText(rate.burst)}`;
  return markup`<svg class="chart" role="img" aria-label="${label}" viewBox="0 0 ${width} ${height}" width="100%">
<line class="axis" x1="${left}" x2="${width}" y1="${bottom}" y2="${bottom}"/>
${bars.length > 0 && markup`<path class="deletes" d="${bars.join('')}"/>`}
${rateLine(y(rate.perSecond), numberText(rate.perSecond))}
${most > rate.perSecond * 1.2 && markup`<text class="tick" x="${left - 6}" y="${Number(y(most)) + 4}" text-anchor="end">${most}</text>`}
${bottom - Number(y(rate.perSecond)) > 14 && markup`<text class="tick" x="${left - 6}" y="${bottom + 1}" text-anchor="end">0</text>`}
<text class="tick" x="${left}" y="${height - 4}">${spanText(perSecond.length)} ago</text>
<text class="tick" x="${round((left + width) / 2)}" y="${height - 4}" text-anchor="middle">${spanText(perSecond.length / 2)} ago</text>
<text class="tick" x="${width - 4}" y="${height - 4}" text-anchor="end">now</text>
${most === 0 && markup`<text class="tick" x="${round((left + width) / 2)}" y="${bottom - 10}" text-anchor="middle">no deletes in this time</text>`}
</svg>`;
}

function rateLine(y: string, rate: string): Markup {
  return markup`<line class="rate" x1="${left}" x2="${width}" y1="${y}" y2="${y}"/><text class="tick rate-label" x="${left - 6}" y="${Number(y) + 4}" text-anchor="end">${rate}/s</text>`;
}

function spanText(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function round(n: number): string {
  return String(Math.round(n * 100) / 100);
}
