// How many devices a rule selects, and how many of these rest on remembered or unknown properties. Counts of disjoint parts of a cluster
// can be added.
import type { TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { matchDevice } from './deviceMatch.ts';

export interface SelectedDevices {
  /** Devices of current pool generations. */
  readonly published: number;
  /** Allocation results; a device shared by two claims counts twice. */
  readonly allocated: number;
  /** Of those, devices that no slice publishes, selected by their last seen properties. */
  readonly remembered: number;
  /** Allocation results for which the selection is unknown. */
  readonly unknown: number;
}

export const noDevices: SelectedDevices = { published: 0, allocated: 0, remembered: 0, unknown: 0 };

/** For some pools; `claims` must hold every allocation in them. */
export function selectedIn(rule: TaintRule, snapshot: Snapshot): SelectedDevices {
  const published = [...snapshot.pools.values()].flatMap(({ driver, name: pool, devices }) =>
    [...devices.keys()].map((device) => matchDevice(rule, { driver, pool, device }, snapshot)),
  );
  // Stryker disable next-line ArrayDeclaration: a string among the results is no device
  const results = [...snapshot.claims.values()].flatMap(({ allocation }) => allocation?.devices ?? []);
  const held = results.map((device) => matchDevice(rule, device, snapshot));
  const selected = held.filter(({ kind }) => kind === 'Selected');
  return {
    published: published.filter(({ kind }) => kind === 'Selected').length,
    allocated: selected.length,
    remembered: selected.filter((match) => match.kind === 'Selected' && match.remembered).length,
    unknown: held.filter(({ kind }) => kind === 'Unknown').length,
  };
}

export function addSelected(a: SelectedDevices, b: SelectedDevices): SelectedDevices {
  return {
    published: a.published + b.published,
    allocated: a.allocated + b.allocated,
    remembered: a.remembered + b.remembered,
    unknown: a.unknown + b.unknown,
  };
}

/** For the rule's status; empty if all selected devices are published. */
export function selectionNote({ remembered, unknown }: SelectedDevices): string {
  return [
    ...(remembered > 0 ? [`${devices(remembered)} selected by attributes as last seen.`] : []),
    ...(unknown > 0 ? [`${devices(unknown)} never seen and not acted on.`] : []),
  ].join(' ');
}

function devices(count: number): string {
  return `${count} allocated device${count === 1 ? '' : 's'}`;
}
