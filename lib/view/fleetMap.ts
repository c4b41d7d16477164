// Text map of the fleet: a column per node with a cell per device, or one character per node if height is short.

import type { Ink } from './ink.ts';
import type { DeviceState, FleetNode, FleetSnapshot } from './screenSnapshot.ts';
import { countText, numberText } from './words.ts';

/** States differ in shape as well as colour. */
const shapes: Readonly<Record<DeviceState, string>> = {
  Free: '·',
  InUse: '■',
  Tainted: '×',
  ToEvict: '▲',
  Evicting: '▽',
};

const levels = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
/** States that take precedence in a node's single character. */
const urgent: readonly DeviceState[] = ['Evicting', 'ToEvict', 'Tainted'];

export interface MapLook {
  readonly ink: Ink;
  readonly width: number;
  /** Maximum lines, including the line of counts and the legend. */
  readonly height: number;
}

export function renderFleet(fleet: FleetSnapshot, look: MapLook): readonly string[] {
  const groups = [...Map.groupBy(fleet.nodes, ({ group }) => group)];
  const tallest = Math.max(0, ...fleet.nodes.map(({ devices }) => devices.length));
  const isMap = look.height >= tallest + 3;
  const rows = isMap ? mapRows(groups, { tallest, ink: look.ink }) : stripRows(groups, look.ink);
  return [numbersLine(fleet, { ...look, isMap }), ...rows, legendLine(fleet, { ink: look.ink, isMap })];
}

type Groups = readonly (readonly [string, readonly FleetNode[]])[];

/** Group names above their columns; each node column is two characters wide. */
function mapRows(groups: Groups, { tallest, ink }: { readonly tallest: number; readonly ink: Ink }): readonly string[] {
  const names = groups.map(([name, nodes]) => name.padEnd(nodes.length * 2)).join('  ');
  const row = (index: number) =>
    groups
      .map(([, nodes]) => nodes.map(({ devices }) => `${cell(devices[index], ink)} `).join(''))
      .join('  ')
      .trimEnd();
  return [ink.dim(names.trimEnd()), ...Array.from({ length: tallest }, (_, index) => row(index))];
}

function cell(state: DeviceState | undefined, ink: Ink): string {
  return state === undefined ? ' ' : paint(state, ink)(shapes[state]);
}

function stripRows(groups: Groups, ink: Ink): readonly string[] {
  return [
    groups.map(([name, nodes]) => `${ink.dim(name)} ${nodes.map((node) => level(node, ink)).join('')}`).join('  '),
  ];
}

/** One character for a node: its most urgent state, else its share of devices in use. */
function level({ devices }: FleetNode, ink: Ink): string {
  const state = urgent.find((one) => devices.includes(one));
  if (state) return paint(state, ink)(shapes[state]);
  const used = devices.filter((one) => one === 'InUse').length;
  const share = devices.length === 0 ? 0 : used / devices.length;
  return paint('InUse', ink)(levels[Math.ceil(share * (levels.length - 1))] ?? '·');
}

function paint(state: DeviceState, ink: Ink): (text: string) => string {
  switch (state) {
    case 'Free':
      return ink.dim;
    case 'InUse':
      return ink.green;
    case 'Tainted':
      return ink.red;
    case 'ToEvict':
      return ink.yellow;
    case 'Evicting':
      return ink.cyan;
    default:
      return state satisfies never;
  }
}

/** In a strip the meaning of a bar comes before the teams. */
function numbersLine(
  { nodes, teams }: FleetSnapshot,
  { ink, width, isMap }: MapLook & { readonly isMap: boolean },
): string {
  const devices = nodes.reduce((sum, node) => sum + node.devices.length, 0);
  const waiting = teams.reduce((sum, one) => sum + one.waiting, 0);
  const pending = waiting > 0 ? [`${countText(waiting, 'pod')} not running yet`] : [];
  const line = `${countText(nodes.length, 'node')}, ${countText(devices, 'device')}`;
  const people = teams.map(({ name, running }) => `${name} ${numberText(running)}`).join(', ');
  const bars = isMap ? [] : ['a bar: share of its devices in use'];
  const all = [
    [line, ...pending, ...bars, people],
    [line, ...pending, ...bars],
    [line, ...bars],
  ].map((parts) => parts.join(' · '));
  return ink.bold('Fleet  ') + ink.dim(all.find((one) => one.length + 7 <= width) ?? line);
}

const words: readonly (readonly [DeviceState, string])[] = [
  ['InUse', 'in use'],
  ['Free', 'free'],
  ['Tainted', 'tainted'],
  ['ToEvict', 'tainted in use'],
  ['Evicting', 'terminating'],
];

/** Counts every device once, so that the numbers add up to the total in the line above. */
function legendLine(
  { nodes, isCounting }: FleetSnapshot,
  { ink, isMap }: { readonly ink: Ink; readonly isMap: boolean },
): string {
  const devices = nodes.flatMap((node) => node.devices);
  const count = (state: DeviceState) => numberText(devices.filter((one) => one === state).length);
  return words
    .map(
      ([state, word]) =>
        `${paint(state, ink)(state === 'InUse' && !isMap ? '▁█' : shapes[state])} ${ink.dim(isCounting ? word : `${count(state)} ${word}`)}`,
    )
    .concat(isCounting ? [ink.dim('(counting)')] : [])
    .join('  ');
}
