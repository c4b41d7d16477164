// Goes round all ranges of a kind and sends what each holds, so that whatever was lost on the way is found within a round.
import { rangeCount } from '../mirror/ranges.ts';
import type { Milliseconds } from '../model/time.ts';
import type { Following } from './following.ts';
import { manifestFrom } from './forward.ts';
import { pause } from './pauses.ts';

export interface RoundTimes {
  /** After a first list: its objects are to arrive before what says that they are there. */
  readonly first: Milliseconds;
  /** All ranges of a kind within this. */
  readonly round: Milliseconds;
}

/** A whole round within ten minutes, with a minute for the queue. */
export const roundTimes: RoundTimes = { first: 60_000, round: 9 * 60_000 };

/** Bookmarks come once a minute: a watch that has heard nothing for this long may be dead. */
const silentAfter: Milliseconds = 120_000;
const tick: Milliseconds = 1000;

/** Ends when the signal is aborted. Times are counted by timers, so that a clock that is set changes nothing. */
export async function goRounds(following: Following, times: RoundTimes = roundTimes): Promise<void> {
  const { deps, state, memory } = following;
  const { signal } = deps;
  while (!signal.aborted && state.lists === 0) await pause(signal, Math.min(tick, times.first));
  await pause(signal, times.first);
  let isFirst = true;
  for (let from = 0; !signal.aborted; ) {
    const resourceVersion = syncedAt(following);
    if (resourceVersion === undefined) {
      await pause(signal, Math.min(tick, times.round));
      continue;
    }
    const manifest = manifestFrom(memory, { from, resourceVersion });
    await deps.sink.send([manifest]);
    from = (manifest.to + 1) % rangeCount;
    const share = (manifest.to - manifest.from + 1) / rangeCount;
    await pause(signal, isFirst && from !== 0 ? 1 : times.round * share);
    if (from === 0) isFirst = false;
  }
}

/** Only a watch that is known to be alive says what is there; on a fresh list it stands on that list. */
function syncedAt({ deps, state, reached }: Following): string | undefined {
  if (!reached || state.phase !== 'Watching') return undefined;
  return Math.abs(deps.clock.now() - reached.heardAt) < silentAfter ? reached.resourceVersion : undefined;
}
