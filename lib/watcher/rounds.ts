// Anti-entropy rounds: sends the manifest of every range of a kind, so that a lost message is found within one round.
import { rangeCount } from '../mirror/ranges.ts';
import type { Milliseconds } from '../model/time.ts';
import type { Following } from './following.ts';
import { manifestFrom } from './forward.ts';
import { pause } from './pauses.ts';

export interface RoundTimes {
  /** Wait after a first list: its objects should arrive before the manifests that name them. */
  readonly first: Milliseconds;
  /** Duration of one round over all ranges of a kind. */
  readonly round: Milliseconds;
}

/** A round within ten minutes, including one minute for the queue. */
export const roundTimes: RoundTimes = { first: 60_000, round: 9 * 60_000 };

/** Bookmarks arrive once a minute: a watch without any event for this long may be dead. */
const silentAfter: Milliseconds = 120_000;
const tick: Milliseconds = 1000;

/** Ends when the signal is aborted. Uses timers, so that setting the clock has no effect. */
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

/** The version for manifests: only if the watch is known to be alive; right after a list, the list's version. */
function syncedAt({ deps, state, reached }: Following): string | undefined {
  if (!reached || state.phase !== 'Watching') return undefined;
  return Math.abs(deps.clock.now() - reached.heardAt) < silentAfter ? reached.resourceVersion : undefined;
}
