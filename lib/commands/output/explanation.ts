// Explanations as objects: the text of `sluice why`, one object for each answer; pure.
import type { Found } from './print.ts';

interface Asked {
  readonly kind: string;
  readonly name: string;
}

/** One answer with its reasons. `from`: live objects of the cluster, or records of the state table. */
export interface Explanation {
  readonly from: 'Cluster' | 'Records';
  readonly lines: readonly string[];
}

/** Every line that is not indented is an answer; the indented ones below it are its reasons. */
export function explanationsIn(from: Explanation['from'], lines: readonly string[]): readonly Explanation[] {
  const starts = lines.flatMap((one, at) => (at === 0 || !one.startsWith(' ') ? [at] : []));
  return starts.map((start, at) => ({ from, lines: lines.slice(start, starts[at + 1]) }));
}

export function shownAs({ kind, name }: Asked): Pick<Found<Explanation>, 'object' | 'name'> {
  return {
    object: ({ from, lines: [answer, ...because] }) => ({
      kind: 'Explanation',
      of: { kind, name },
      from,
      answer,
      because: because.map((one) => one.trim()),
    }),
    name: () => `${kind}/${name}`,
  };
}
