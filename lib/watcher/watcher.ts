// The watcher of one cluster: every kind followed, a heartbeat while all of them are.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import type { Clock, Log } from '../ports.ts';
import { createDeletions, type Deletions } from './deletions.ts';
import { beat, type HeartbeatState } from './heartbeat.ts';
import { followKind } from './kindFollower.ts';
import { createKindState, isEstablished, type KindState, kindSources } from './kinds.ts';
import type { Outbox } from './outbox.ts';
import { createServedApis } from './servedApis.ts';

export interface WatcherDependencies {
  readonly client: ApiClient;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Milliseconds between heartbeats; ten seconds by default. */
  readonly heartbeatInterval?: number;
}

export interface Watcher {
  readonly kinds: readonly KindState[];
  readonly heartbeat: HeartbeatState;
  readonly deletions: Pick<Deletions, 'durations'>;
  /** Every kind is listed and watched or not served, and the queue takes what it is given. */
  isReady(): boolean;
  /** Ends when the signal is aborted; what is in the outbox then is still to be sent. */
  readonly done: Promise<void>;
}

export function startWatcher(deps: WatcherDependencies): Watcher {
  const { client, outbox: sink, clock, log, signal } = deps;
  const kinds = kindSources.map((source) => createKindState(source.kind));
  const heartbeat: HeartbeatState = { last: undefined, clockOffset: 0 };
  const deletions = createDeletions(() => clock.now() + heartbeat.clockOffset);
  const isStuck = () => sink.state.problem !== undefined;
  const following = kindSources.map((source) => {
    const state = kinds.find((one) => one.kind === source.kind) ?? createKindState(source.kind);
    return followKind(
      { client, sink, clock, log, signal, ...(source.kind === 'Pod' ? { deletions } : {}) },
      source,
      state,
    );
  });
  const interval = deps.heartbeatInterval === undefined ? {} : { interval: deps.heartbeatInterval };
  const beating = beat(
    { client, sink, clock, log, signal, kinds, isStuck, servedApis: createServedApis(client, clock), ...interval },
    heartbeat,
  );
  return {
    kinds,
    heartbeat,
    deletions,
    isReady: () => kinds.every(isEstablished) && !isStuck(),
    done: Promise.all([...following, beating]).then(() => undefined),
  };
}
