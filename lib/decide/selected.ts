// How many devices a rule selects, and for how many that is unknown. Counts of disjoint parts of a cluster can be added.
import type { TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { matchDevice } from './deviceMatch.ts';

export interface SelectedDevices {
  /** Devices of current pool generations. */
  readonly published: number;
  /** Allocation results; a device shared by two claims counts twice. */
  readonly allocated: number;
  /** Allocation results for which the selection is unknown. */
  readonly unknown: number;
  /** Of those, devices whose slice is too large to be kept with its attributes. */
  readonly stripped: number;
}

export const noDevices: SelectedDevices = { published: 0, allocated: 0, unknown: 0, stripped: 0 };

/** For some pools; `claims` must hold every allocation in them. */
export function selectedIn(rule: TaintRule, snapshot: Snapshot): SelectedDevices {
  const published = [...snapshot.pools.values()].flatMap(({ driver, name: pool, devices }) =>
    [...devices.keys()].map((device) => matchDevice(rule, { driver, pool, device }, snapshot)),
  );
  // Stryker disable next-line ArrayDeclaration: a string among the results is no device
  const results = [...snapshot.claims.values()].flatMap(({ allocation }) => allocation?.devices ?? []);
  const held = results.map((device) => matchDevice(rule, device, snapshot));
  const unknown = held.flatMap((match) => (match.kind === 'Unknown' ? [match] : []));
  return {
    published: published.filter(({ kind }) => kind === 'Selected').length,
    allocated: held.filter(({ kind }) => kind === 'Selected').length,
    unknown: unknown.length,
    stripped: unknown.filter(({ isStripped }) => isStripped).length,
  };
}

export function addSelected(a: SelectedDevices, b: SelectedDevices): SelectedDevices {
  return {
    published: a.published + b.published,
    allocated: a.allocated + b.allocated,
    unknown: a.unknown + b.unknown,
    stripped: a.stripped + b.stripped,
  };
}

/** For the rule's status; empty if the attributes of all allocated devices are known. */
export function selectionNote({ unknown, stripped }: SelectedDevices): string {
  return [
    ...(unknown > stripped ? [`${devices(unknown - stripped)} with unknown attributes, not acted on.`] : []),
    ...(stripped > 0
      ? [
          `${devices(stripped)} not acted on: the attributes of ${stripped === 1 ? 'its slice' : 'their slices'} are too large to be kept.`,
        ]
      : []),
  ].join(' ');
}

function devices(count: number): string {
  return `${count} allocated device${count === 1 ? '' : 's'}`;
}
