// A process that plays histories for the runner, one after another: virtual time needs a whole process.
import { bundleProgram } from './bundle.ts';
import type { History } from './history.ts';
import { type Played, playHistory } from './play.ts';

export interface Order {
  readonly id: number;
  readonly history: History;
  readonly trace: boolean;
}

export type Report = { readonly id: number } & (Played | { readonly broken: string });

const bundle = await bundleProgram();
const evaluate = () => Array.from({ length: 3 }, () => bundle.evaluate());
let programs = evaluate();
const seen = new Set<string>();

/** The name of a cluster determines its partitions, so a history always has the same name, and modules that have not seen it. */
function clusterOf({ seed }: History): string {
  const name = `cluster-${seed}`;
  if (seen.has(name)) {
    programs = evaluate();
    seen.clear();
  }
  seen.add(name);
  return name;
}

process.on('message', (order: Order) => {
  const { id, history, trace } = order;
  const cluster = clusterOf(history);
  playHistory(history, { programs, cluster, trace })
    .then(
      (outcome): Report => ({ id, ...outcome }),
      (error: unknown): Report => ({ id, broken: error instanceof Error ? String(error.stack) : String(error) }),
    )
    .then((report) => process.send?.(report));
});
process.send?.('ready');
