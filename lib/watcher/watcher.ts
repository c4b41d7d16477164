// The watcher of one cluster: follows every kind, and sends heartbeats while all are established.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { stopOf } from '../adapters/kubernetes/evictionStop.ts';
import type { ReadIncarnation } from '../adapters/kubernetes/liveCluster.ts';
import type { Change } from '../model/change.ts';
import type { Incarnation } from '../model/identity.ts';
import type { Clock, Log } from '../ports.ts';
import { createDeletions, type Deletions } from './deletions.ts';
import { followStops } from './followStops.ts';
import { beat, type HeartbeatState } from './heartbeat.ts';
import { createInTreeTraces, probeFromTimeToTime } from './inTreeTraces.ts';
import { createFollowing, followKind } from './kindFollower.ts';
import { createKindState, isEstablished, type KindState, kindSources } from './kinds.ts';
import type { Outbox } from './outbox.ts';
import { createComplaint } from './pauses.ts';
import { answerRequests, type Resending } from './resend.ts';
import { goRounds, type RoundTimes } from './rounds.ts';
import { createServedApis } from './servedApis.ts';

export interface WatcherDependencies {
  readonly client: ApiClient;
  readonly outbox: Outbox;
  /** Part of every message. */
  readonly incarnation: Incarnation;
  /** Read before every heartbeat; if it differs, no more messages of this incarnation are sent. */
  readonly readIncarnation: ReadIncarnation;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Milliseconds between heartbeats; default 20 s. */
  readonly heartbeatInterval?: number;
  /** How often every range is sent; default `roundTimes`. */
  readonly rounds?: RoundTimes;
  /** The queue of requests for expected objects; absent: no requests. */
  readonly requests?: Pick<Resending, 'client' | 'queueUrl'>;
  /** The watcher may probe for an in-tree controller (deploy/optional/probe-rbac.yaml). */
  readonly probes?: boolean;
}

export interface Watcher {
  readonly kinds: readonly KindState[];
  readonly heartbeat: HeartbeatState;
  readonly deletions: Pick<Deletions, 'durations'>;
  /** Every kind is watched or not served, and SQS accepts messages. */
  isReady(): boolean;
  /** Ends when the signal is aborted or the cluster has another incarnation; the outbox may still hold changes to send. */
  readonly done: Promise<void>;
}

export function startWatcher(deps: WatcherDependencies): Watcher {
  const { client, outbox, incarnation, clock, log } = deps;
  const replaced = new AbortController();
  const signal = AbortSignal.any([deps.signal, replaced.signal]);
  const sink = { send: (changes: readonly Change[]) => outbox.send(changes.map((one) => ({ ...one, incarnation }))) };
  const kinds = kindSources.map((source) => createKindState(source.kind));
  const heartbeat: HeartbeatState = { last: undefined, clockOffset: 0 };
  const serverNow = () => clock.now() + heartbeat.clockOffset;
  const deletions = createDeletions(serverNow);
  const traces = createInTreeTraces(log);
  const isStuck = () => outbox.state.problem !== undefined;
  const following = kindSources.map((source) => {
    const state = kinds.find((one) => one.kind === source.kind) ?? createKindState(source.kind);
    const own = source.kind === 'Pod' ? { deletions } : {};
    return createFollowing({ client, sink, clock, log, signal, traces, ...own }, source, state);
  });
  const requests = deps.requests
    ? answerRequests({ ...deps.requests, incarnation, following, log, clock, signal })
    : Promise.resolve();
  const stops = followStops({ client, clock, signal, complaint: createComplaint(log, clock) });
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
      areStopsKnown: stops.isKnown,
      stops: () => (stops.problem() === undefined ? stops.objects().map(stopOf) : undefined),
      servedApis: createServedApis(client, clock),
      incarnation,
      readIncarnation: deps.readIncarnation,
      onReplaced: () => replaced.abort(),
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
