// Device map as SVG with one path per state, or per state and row, so that large maps have few elements; states differ in shape too.
import { type Markup, markup } from '../markup.ts';
import { countText, numberText } from '../words.ts';
import { type DeviceState, deviceStates } from './fleet.ts';
import type { StateCounts } from './groups.ts';

export const stateWords: Readonly<Record<DeviceState, string>> = {
  Evicting: 'evicting',
  Held: 'held',
  Unknown: 'unknown',
  Tainted: 'tainted',
  InUse: 'in use',
  Free: 'free',
};

/** Paths within a cell of 10 by 10: triangle, two bars, diamond, cross, square, dot. */
const shapes: Readonly<Record<DeviceState, string>> = {
  Evicting: 'm1 1h8l-4 8z',
  Held: 'm1 1h3v8h-3zm5 0h3v8h-3z',
  Unknown: 'm5 0l5 5l-5 5l-5-5z',
  Tainted: 'm0 2l2-2l3 3l3-3l2 2l-3 3l3 3l-2 2l-3-3l-3 3l-2-2l3-3z',
  InUse: 'm1 1h8v8h-8z',
  Free: 'm3.5 3.5h3v3h-3z',
};

const size = 10;
const gap = 2;

export interface MarksLook {
  readonly columns: number;
  readonly label: string;
  /** Paths of their own for each row, so that a browser paints only rows that change. */
  readonly isByRow?: true;
}

export function renderMarks(marks: readonly DeviceState[], { columns, label, isByRow }: MarksLook) {
  const step = size + gap;
  const perPart = isByRow ? columns : Math.max(1, marks.length);
  const parts = Array.from({ length: Math.ceil(marks.length / perPart) }, (_, part) =>
    renderPaths(marks, { columns, from: part * perPart, to: Math.min(marks.length, (part + 1) * perPart) }),
  );
  const width = Math.max(1, Math.min(columns, marks.length)) * step - gap;
  const height = Math.max(1, Math.ceil(marks.length / columns)) * step - gap;
  return markup`<svg class="marks" ${label === '' ? markup`aria-hidden="true"` : markup`role="img" aria-label="${label}"`} viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${isByRow ? parts.map((paths) => markup`<g>${paths}</g>`) : parts}</svg>`;
}

/** One path per state, for the marks from `from` to before `to`. */
function renderPaths(
  marks: readonly DeviceState[],
  { columns, from, to }: { readonly columns: number; readonly from: number; readonly to: number },
): readonly Markup[] {
  const step = size + gap;
  const paths = new Map<DeviceState, string>();
  for (let i = from; i < to; i++) {
    const state = marks[i] ?? 'Unknown';
    const mark = `M${(i % columns) * step} ${Math.floor(i / columns) * step}${shapes[state]}`;
    paths.set(state, (paths.get(state) ?? '') + mark);
  }
  return deviceStates.flatMap((state) => {
    const path = paths.get(state);
    return path ? [markup`<path class="mark-${state.toLowerCase()}" d="${path}"/>`] : [];
  });
}

/** `12 devices: 3 evicting, 9 free`. */
export function countsText(counts: StateCounts): string {
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
  const parts = deviceStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${numberText(counts[state])} ${stateWords[state]}`);
  return parts.length === 0 ? 'no devices' : `${countText(all, 'device')}: ${parts.join(', ')}`;
}

export function renderLegend(counts: StateCounts): Markup {
  return markup`<ul class="legend states">${deviceStates.map(
    (state) =>
      markup`<li>${renderMarks([state], { columns: 1, label: '' })}<span>${numberText(counts[state])} ${stateWords[state]}</span></li>`,
  )}</ul>`;
}
