// The watcher sends the manifests of all ranges of a kind in rounds.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { Following } from '../../lib/watcher/following.ts';
import { beginList, createForwardMemory, endList, forwardShown } from '../../lib/watcher/forward.ts';
import { goRounds } from '../../lib/watcher/rounds.ts';
import { aPod } from '../support/objects.ts';

const minute = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A watch of so many pods that is always up to date. */
function aWatch(pods: number) {
  const sent: { readonly at: number; readonly change: Change }[] = [];
  const memory = createForwardMemory('Pod');
  beginList(memory);
  for (let i = 0; i < pods; i++) forwardShown(memory, { kind: 'Projected', object: aPod(`pod-${i}`) });
  endList(memory, '1000');
  const controller = new AbortController();
  const begun = Date.now();
  const following = {
    memory,
    state: { lists: 1, phase: 'Watching' },
    get reached() {
      return { resourceVersion: '1000', heardAt: Date.now() };
    },
    deps: {
      signal: controller.signal,
      clock: { now: () => Date.now() },
      sink: {
        send: async (changes: readonly Change[]) =>
          void sent.push(...changes.map((change) => ({ at: Date.now() - begun, change }))),
      },
    },
  } as unknown as Following;
  return { following, sent, end: () => controller.abort() };
}

it.each([0, 5000])(
  'a watcher sends the manifest of every range within ten minutes, again and again, for %i pods',
  async (pods) => {
    const { following, sent, end } = aWatch(pods);
    const rounds = goRounds(following);
    await vi.advanceTimersByTimeAsync(40 * minute);
    for (let from = 0; from <= 30 * minute; from += minute) {
      const within = sent.filter(({ at }) => at >= from && at < from + 10 * minute);
      const ranges = new Set(
        within.flatMap(({ change }) =>
          change.type === 'Manifest'
            ? Array.from({ length: change.to - change.from + 1 }, (_, i) => change.from + i)
            : [],
        ),
      );
      expect(ranges.size, `from minute ${from / minute} on`).toBe(256);
    }
    end();
    await vi.advanceTimersByTimeAsync(10 * minute);
    await rounds;
  },
);
