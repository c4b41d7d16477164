// Checks whether another limiter has pending pods and no invocation while this one runs.

import { sharedRead } from '../../memory.ts';
import type { LimiterId } from '../../model/eviction.ts';
import type { Milliseconds } from '../../model/time.ts';
import { readUnheld } from '../../state/limiterRows.ts';
import { hasPending } from '../../state/pendingRows.ts';
import type { State } from '../../state/state.ts';
import type { StepDependencies } from '../../steps/step.ts';

/** Number of limiters checked; one that is waiting is enough. */
const looked = 20;

const askEvery: Milliseconds = 10_000;

export async function isAnotherWaiting(deps: StepDependencies, state: State, mine: LimiterId): Promise<boolean> {
  const now = deps.clock.now();
  const by = { kind: 'others waiting', key: `${state.cluster}|${mine}`, now, maxAge: askEvery };
  const { value } = await sharedRead(deps.memory, by, async () => {
    const others = (await readUnheld(state, { now, limit: looked })).filter((limiter) => limiter !== mine);
    const waiting = await Promise.all(others.map((limiter) => hasPending(state, limiter)));
    return waiting.includes(true);
  });
  return value;
}
