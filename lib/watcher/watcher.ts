// The watcher of one cluster: every kind followed, a heartbeat while all of them are.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import type { Clock, Log } from '../ports.ts';
import { createDeletions, type Deletions } from './deletions.ts';
import { beat, type HeartbeatState } from './heartbeat.ts';
import { createInTreeTraces, probeFromTimeToTime } from './inTreeTraces.ts';
import { createFollowing, followKind } from './kindFollower.ts';
import { createKindState, isEstablished, type KindState, kindSources } from './kinds.ts';
import type { Outbox } from './outbox.ts';
import { answerRequests, type Resending } from './resend.ts';
import { goRounds, type RoundTimes } from './rounds.ts';
import { createServedApis } from './servedApis.ts';

export interface WatcherDependencies {
  readonly client: ApiClient;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Milliseconds between heartbeats; ten seconds by default. */
  readonly heartbeatInterval?: number;
  /** How often every range is sent; as `roundTimes` says by default. */
  readonly rounds?: RoundTimes;
  /** The queue with requests for objects that the mirror expects; without it nobody asks. */
  readonly requests?: Pick<Resending, 'client' | 'queueUrl'>;
  /** May ask an in-tree controller to show itself (deploy/optional/probe-rbac.yaml). */
  readonly probes?: boolean;
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
  const serverNow = () => clock.now() + heartbeat.clockOffset;
  const deletions = createDeletions(serverNow);
  const traces = createInTreeTraces(log);
  const isStuck = () => sink.state.problem !== undefined;
  const following = kindSources.map((source) => {
    const state = kinds.find((one) => one.kind === source.kind) ?? createKindState(source.kind);
    const own = source.kind === 'Pod' ? { deletions } : {};
    return createFollowing({ client, sink, clock, log, signal, traces, ...own }, source, state);
  });
  const requests = deps.requests
    ? answerRequests({ ...deps.requests, following, log, clock, signal })
    : Promise.resolve();
  const interval = deps.heartbeatInterval === undefined ? {} : { interval: deps.heartbeatInterval };
  const beating = beat(
    {
      client,
      sink,
      clock,
      log,
      signal,
      kinds,
      isStuck,
      traces,
      servedApis: createServedApis(client, clock),
      ...interval,
    },
    heartbeat,
  );
  const probing = deps.probes
    ? probeFromTimeToTime({ client, clock, log, signal, serverNow }, traces)
    : Promise.resolve();
  return {
    kinds,
    heartbeat,
    deletions,
    isReady: () => kinds.every(isEstablished) && !isStuck(),
    done: Promise.all([
      ...following.map(followKind),
      ...following.map((one) => goRounds(one, deps.rounds)),
      requests,
      beating,
      probing,
    ]).then(() => undefined),
  };
}
