// Requests an evaluation of every listed pod, once even if several limiters list it; continues over several invocations.
import type { LimiterId } from '../model/eviction.ts';
import { inChunks } from '../state/fanOutRows.ts';
import { limiterPages } from '../state/limiterRows.ts';
import { readListedPage } from '../state/listedRows.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';
import { beginSurvey, continueSurvey } from './survey.ts';

interface Walked {
  /** The limiter under way; all before it, in the order of names, are done. */
  readonly limiter?: LimiterId;
  /** Last sort key that was processed in this limiter's list. */
  readonly after?: string;
}

const nothing: Walked = {};

/** Pod names kept in memory per invocation; beyond this number a pod may be evaluated twice. */
const mostRemembered = 100_000;

/** Restarts a walk that is under way, because the modes have changed again. */
export async function openListed(deps: StepDependencies, state: State): Promise<void> {
  await beginSurvey(deps, state, 'listed', () => nothing);
}

export async function continueListed(deps: StepDependencies, state: State): Promise<void> {
  const isOf = () => true;
  await continueSurvey(deps, state, { name: 'listed', begin: nothing, isOf, walk: (from) => walk(deps, state, from) });
}

async function* walk(deps: StepDependencies, state: State, from: Walked): AsyncGenerator<Walked, Walked> {
  const sent = new Set<string>();
  for await (const limiters of limiterPages(state, { from: from.limiter }))
    for (const limiter of limiters)
      yield* walkOne(deps, state, { limiter, after: limiter === from.limiter ? from.after : undefined, sent });
  return from;
}

async function* walkOne(
  deps: StepDependencies,
  state: State,
  { limiter, ...by }: { readonly limiter: LimiterId; readonly after: string | undefined; readonly sent: Set<string> },
): AsyncGenerator<Walked> {
  let { after } = by;
  do {
    const page = await readListedPage(state, limiter, after);
    await send(deps, state, { pods: page.rows.map(({ pod }) => pod), sent: by.sent });
    after = page.next;
    yield { limiter, after: after ?? behindAll };
  } while (after !== undefined);
}

async function send(
  deps: StepDependencies,
  { cluster }: State,
  { pods, sent }: { readonly pods: readonly string[]; readonly sent: Set<string> },
): Promise<void> {
  const fresh = pods.filter((pod) => !sent.has(pod));
  if (sent.size < mostRemembered) for (const pod of fresh) sent.add(pod);
  await deps.queues.sendEvaluate(inChunks(fresh).map((some) => ({ cluster, pods: some })));
}

/** A sort key after every listing. */
const behindAll = '\uffff';
