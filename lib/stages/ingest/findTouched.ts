// Finds the pods that changes can affect: a few are evaluated now, more are sent to the evaluate queue.
import { beginWithPage, causeOf, inChunks, newFanOut } from '../../state/fanOutRows.ts';
import type { State } from '../../state/state.ts';
import { fanOutFor, goOn } from '../../steps/fanOut.ts';
import { mapParallel } from '../../steps/mapParallel.ts';
import type { StepDependencies } from '../../steps/step.ts';
import type { Applied, FirstPage } from './applied.ts';

/** Pods of one change that are evaluated in this invocation. */
const podsNow = 10;

/** Pods of all changes of this invocation that name their pods: as many as the objects that one message lists. */
const namedNow = 300;

/** First pages read in parallel. */
const pagesAtOnce = 50;

interface Touched {
  /** The caller evaluates these pods. */
  readonly pods: readonly string[];
  /** Pools that these pods probably use. */
  readonly pools: readonly string[];
  /** Causes whose pods were sent to the evaluate queue. */
  readonly fannedOut: ReadonlySet<string>;
}

export async function findTouched(deps: StepDependencies, state: State, applied: readonly Applied[]): Promise<Touched> {
  const until = deps.clock.now() + fanOutFor;
  const own = new Set(applied.filter((one) => !isFound(one)).flatMap(({ pods }) => pods));
  const pods = new Set([...own].slice(0, namedNow));
  const pools = new Set<string>();
  const fannedOut = new Set<string>();
  const found = applied.filter(isFound);
  const firsts = await mapParallel(found, pagesAtOnce, async (one) => {
    return { one, ...(await (one.first ?? firstPage(deps, state, one))) };
  });
  for (const first of firsts) {
    const { fanOut, page } = first;
    if (isSmall(first, pods.size)) {
      for (const pod of page.pods) pods.add(pod);
      for (const pool of page.pools) pools.add(pool);
    } else {
      fannedOut.add(fanOut.cause);
      await goOn(deps, state, { fanOut, first: page, until });
    }
  }
  // Their rows stay due until they are evaluated.
  const later = inChunks([...own].slice(namedNow));
  await deps.queues.sendEvaluate(later.map((some) => ({ cluster: state.cluster, pods: some })));
  return { pods: [...pods], pools: [...pools], fannedOut };
}

/** Whether the pods of a change are evaluated now, in addition to the `taken` pods of other changes. */
function isSmall({ one, fanOut, page }: FirstPage & { readonly one: Applied }, taken: number): boolean {
  const most = one.reaches?.length ? podsNow : namedNow;
  const isShort = page.pods.length <= podsNow && taken + page.pods.length <= most;
  return isShort && !page.next && fanOut.stored === undefined;
}

/** A change of an object other than a pod: once its row is clean, only a fan-out records the pods that it affects. */
function isFound({ dirty, reaches }: Applied): boolean {
  return dirty !== undefined || (reaches !== undefined && reaches.length > 0);
}

/** The pods that a change names, and the first page of the pods that must be searched. */
export async function firstPage(
  deps: Pick<StepDependencies, 'clock'>,
  state: State,
  { rule, dirty, pods, reaches = [] }: Applied,
): Promise<FirstPage> {
  const now = deps.clock.now();
  const cause = rule?.ref ?? causeOf({ sk: dirty?.key.sk ?? '' });
  const of = { cause, epoch: rule?.epoch ?? String(dirty?.row.ver ?? now), reaches };
  if (reaches.length === 0) return { fanOut: newFanOut(of, now), page: { pods, pools: [] } };
  const { fanOut, page } = await beginWithPage(state, of, now);
  return { fanOut, page: { ...page, pods: [...new Set([...pods, ...page.pods])] } };
}
