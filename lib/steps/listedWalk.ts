// Has every listed pod evaluated again, each once however many limiters list it: from where the last invocation has ended.
import type { LimiterId } from '../model/eviction.ts';
import { inChunks } from '../state/fanOutRows.ts';
import { limiterPages } from '../state/limiterRows.ts';
import { readListedPage } from '../state/listedRows.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';
import { beginSurvey, continueSurvey } from './survey.ts';

interface Walked {
  /** Those before it are done, in the order of their names. */
  readonly limiter?: LimiterId;
  /** Of its list. */
  readonly after?: string;
}

const nothing: Walked = {};

/** Names that an invocation remembers; a pod that is sent once more is evaluated once more. */
const mostRemembered = 100_000;

/** One that is under way begins again: the modes have changed once more. */
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

/** Sort key past every one of a list. */
const behindAll = '\uffff';
