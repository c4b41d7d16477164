// Two sides of one history beside each other: what differs, and which of it is declared.
import { type Declared, declared } from './declared.ts';
import type { History } from './history.ts';
import type { Seen } from './observe.ts';

export interface Difference {
  readonly what: 'pod' | 'condition' | 'early';
  readonly of: string;
  /** At rest after the objects' creation, the bindings, a change, or at the end. */
  readonly when: string;
  readonly inTree: string;
  readonly sluice: string;
}

export interface Judged {
  readonly undeclared: readonly Difference[];
  readonly declared: readonly { readonly difference: Difference; readonly by: Declared }[];
}

export interface Sides {
  readonly inTree: Seen;
  readonly sluice: Seen;
}

/** `conditions`: names of the rules whose conditions are compared. */
export function differencesOf(
  { inTree, sluice }: Sides,
  by: { readonly when: string; readonly conditions: readonly string[] },
): readonly Difference[] {
  const { when } = by;
  const names = (of: 'pods' | 'conditions') => [...new Set([...Object.keys(inTree[of]), ...Object.keys(sluice[of])])];
  const pods = names('pods').map((of) => ({
    what: 'pod' as const,
    of,
    when,
    inTree: inTree.pods[of] ?? 'no pod',
    sluice: sluice.pods[of] ?? 'no pod',
  }));
  const conditions = by.conditions.map((of) => ({
    what: 'condition' as const,
    of,
    when,
    inTree: inTree.conditions[of] ?? 'no rule',
    sluice: sluice.conditions[of] ?? 'no rule',
  }));
  const early = (side: Seen) => (side.early.length > 0 ? side.early.join('; ') : 'none');
  const times = { what: 'early' as const, of: 'pods', when, inTree: early(inTree), sluice: early(sluice) };
  const isEarly = times.inTree !== 'none' || times.sluice !== 'none';
  return [...[...pods, ...conditions].filter((one) => one.inTree !== one.sluice), ...(isEarly ? [times] : [])];
}

export function judge(differences: readonly Difference[], history: History): Judged {
  const judged = differences.map((difference) => ({
    difference,
    by: declared.find((one) => one.explains(difference, history)),
  }));
  return {
    undeclared: judged.flatMap(({ difference, by }) => (by ? [] : [difference])),
    declared: judged.flatMap(({ difference, by }) => (by ? [{ difference, by }] : [])),
  };
}
