// The watcher of one cluster: every kind followed, a heartbeat while all of them are.
import type { Heartbeat } from '../model/change.ts';
import type { ChangeSink, Clock, Log } from '../ports.ts';
import type { ApiReader } from './apiReader.ts';
import { kindSources } from './kinds.ts';
import { createKindState, followKind, type KindState } from './kindWatch.ts';

export interface Watcher {
  readonly kinds: readonly KindState[];
  /** Every kind that is served is listed and watched. */
  readonly isReady: () => boolean;
  /** Ends when the signal is aborted. */
  readonly done: Promise<void>;
}

const heartbeatInterval = 10_000;

/** How soon readiness is noticed for the first heartbeat. */
const tick = 50;

export function startWatcher(deps: {
  reader: ApiReader;
  sink: ChangeSink;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}): Watcher {
  const kinds = kindSources.map((source) => createKindState(source.kind));
  const follow = kindSources.map((source, i) => followKind(deps, source, kinds[i] ?? createKindState(source.kind)));
  const isReady = () => kinds.every((state) => state.established || state.notServed);
  return { kinds, isReady, done: Promise.all([...follow, beat(deps, kinds, isReady)]).then(() => {}) };
}

async function beat(
  deps: { sink: ChangeSink; clock: Clock; log: Log; signal: AbortSignal },
  kinds: readonly KindState[],
  isReady: () => boolean,
): Promise<void> {
  let last = 0;
  while (!deps.signal.aborted) {
    const now = deps.clock.now();
    if (isReady() && now - last >= heartbeatInterval) {
      if (last === 0)
        deps.log.info('all kinds are listed and watched', {
          objects: kinds.reduce((sum, state) => sum + state.objects, 0),
        });
      last = now;
      deps.sink.send([heartbeatOf(kinds, now)]).catch(() => {});
    }
    await deps.clock.sleep(tick);
  }
}

function heartbeatOf(kinds: readonly KindState[], at: number): Heartbeat {
  const offsets = kinds.map((state) => state.clockOffset).sort((a, b) => a - b);
  const watched = kinds.flatMap((state) => (state.version === undefined ? [] : [[state.kind, state.version]]));
  return {
    type: 'Heartbeat',
    at,
    clockOffset: Math.round(offsets[Math.floor(offsets.length / 2)] ?? 0),
    watched: Object.fromEntries(watched),
  };
}
