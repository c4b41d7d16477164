// Chart of a figure by number of pods: a line per system, logarithmic axes.
import { raw } from 'hono/html';
import { htmlOf, type Markup, markup } from '../../lib/view/markup.ts';

export interface Series {
  readonly name: string;
  readonly points: readonly { readonly pods: number; readonly value: number }[];
}

const [width, height] = [640, 320];
const plot = { left: 64, right: 500, top: 40, bottom: 272 };
/** Markers, so that colour is not the only distinction. */
const marks = ['circle', 'square', 'triangle'] as const;

/** Style for light and dark pages, with a contrast of 4.5:1 for text and lines. */
const style = `text{font:13px sans-serif;fill:#24292f}.grid{stroke:#d0d7de}.s0{stroke:#0550ae;fill:#0550ae}.s1{stroke:#953800;fill:#953800}.s2{stroke:#116329;fill:#116329}path.line{fill:none;stroke-width:2}@media (prefers-color-scheme:dark){text{fill:#e6edf3}.grid{stroke:#30363d}.s0{stroke:#79c0ff;fill:#79c0ff}.s1{stroke:#ffa657;fill:#ffa657}.s2{stroke:#7ee787;fill:#7ee787}}`;

export function renderChart(title: string, unit: string, series: readonly Series[]): string {
  const points = series.flatMap((one) => one.points).filter(({ value }) => value > 0);
  const x = axis(
    points.map(({ pods }) => pods),
    plot.left,
    plot.right,
  );
  const y = axis(
    points.map(({ value }) => value),
    plot.bottom,
    plot.top,
  );
  const drawn = markup`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}"><style>${raw(style)}</style>
<text x="${plot.left}" y="22">${title}, ${unit}</text>
${y.ticks.map(
  (
    at,
  ) => markup`<line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${y.of(at)}" y2="${y.of(at)}"/><text x="${plot.left - 8}" y="${y.of(at) + 4}" text-anchor="end">${tickText(at)}</text>
`,
)}${x.ticks.map(
  (at) => markup`<text x="${x.of(at)}" y="${plot.bottom + 22}" text-anchor="middle">${tickText(at)}</text>
`,
)}<text x="${(plot.left + plot.right) / 2}" y="${height - 6}" text-anchor="middle">pods</text>
${series.map((one, i) => renderSeries(one, i, { x: x.of, y: y.of }))}</svg>
`;
  return htmlOf(drawn);
}

function renderSeries(series: Series, i: number, to: { x: (n: number) => number; y: (n: number) => number }): Markup {
  const at = series.points
    .filter(({ value }) => value > 0)
    .map(({ pods, value }) => ({ x: to.x(pods), y: to.y(value) }));
  const path = at.map((one, j) => `${j === 0 ? 'M' : 'L'}${one.x} ${one.y}`).join('');
  const legend = { x: plot.right + 16, y: plot.top + 12 + i * 22 };
  return markup`<g class="s${i}"><path class="line" d="${path}"/>${[...at, legend].map((one) => renderMark(i, one))}</g><text x="${legend.x + 12}" y="${legend.y + 4}">${series.name}</text>
`;
}

function renderMark(i: number, { x, y }: { readonly x: number; readonly y: number }): Markup {
  switch (marks[i % marks.length]) {
    case 'square':
      return markup`<rect x="${x - 4}" y="${y - 4}" width="8" height="8"/>`;
    case 'triangle':
      return markup`<path d="M${x} ${y - 5}L${x + 5} ${y + 4}L${x - 5} ${y + 4}Z"/>`;
    default:
      return markup`<circle cx="${x}" cy="${y}" r="4"/>`;
  }
}

/** Axis from the power of ten below the minimum to the one above the maximum. */
function axis(values: readonly number[], from: number, to: number) {
  const powers = values.map((value) => Math.log10(value));
  const [low, high] = [Math.floor(Math.min(0, ...powers)), Math.ceil(Math.max(1, ...powers))];
  const of = (value: number) => Math.round(from + ((to - from) * (Math.log10(value) - low)) / (high - low));
  return { of, ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)) };
}

function tickText(value: number): string {
  return value >= 1 ? value.toLocaleString('en') : String(value);
}
