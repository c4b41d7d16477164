// Finds the pods that changes touch: a few are evaluated now, more are handed to the reconcile queue.
import { beginFanOut, type FanOut, inChunks, newFanOut, nextPage } from '../../state/fanOutRows.ts';
import type { ReachedPage } from '../../state/reach.ts';
import type { State } from '../../state/state.ts';
import { fanOutFor, goOn } from '../../steps/fanOut.ts';
import type { StepDependencies } from '../../steps/step.ts';
import type { Applied } from './applied.ts';

/** Pods evaluated in the same invocation. */
const podsNow = 10;

interface Touched {
  /** To be evaluated by the caller. */
  readonly pods: readonly string[];
  /** Causes whose pods are handed over. */
  readonly fannedOut: ReadonlySet<string>;
}

export async function findTouched(deps: StepDependencies, state: State, applied: readonly Applied[]): Promise<Touched> {
  const until = deps.clock.now() + fanOutFor;
  const own = new Set(applied.filter((one) => !isFound(one)).flatMap(({ pods }) => pods));
  const pods = new Set([...own].slice(0, podsNow));
  const fannedOut = new Set<string>();
  for (const one of applied.filter(isFound)) {
    const { fanOut, page } = await firstPage(deps, state, one);
    const isSmall = !page.next && fanOut.stored === undefined && pods.size + page.pods.length <= podsNow;
    if (isSmall) for (const pod of page.pods) pods.add(pod);
    else {
      fannedOut.add(fanOut.cause);
      await goOn(deps, state, { fanOut, first: page, until });
    }
  }
  // Their own rows are due until they are evaluated.
  const later = inChunks([...own].slice(podsNow));
  await deps.queues.sendReconcile(later.map((some) => ({ cluster: state.cluster, pods: some })));
  return { pods: [...pods], fannedOut };
}

/** A change of anything but a pod: nothing but a fan-out remembers whom it touches once its row is clean. */
function isFound({ dirty, reaches }: Applied): boolean {
  return dirty !== undefined || (reaches !== undefined && reaches.length > 0);
}

/** Those that a change names, and the first of those that are found. */
async function firstPage(
  deps: StepDependencies,
  state: State,
  { rule, dirty, pods, reaches = [] }: Applied,
): Promise<{ readonly fanOut: FanOut; readonly page: ReachedPage }> {
  const now = deps.clock.now();
  const cause = rule?.ref ?? `${dirty?.key.sk ?? ''}#`;
  const of = { cause, epoch: rule?.epoch ?? String(dirty?.row.ver ?? now), reaches };
  if (reaches.length === 0) return { fanOut: newFanOut(of, now), page: { pods } };
  const fanOut = await beginFanOut(state, of, now);
  const page = await nextPage(state, fanOut);
  return { fanOut, page: { ...page, pods: [...new Set([...pods, ...page.pods])] } };
}
