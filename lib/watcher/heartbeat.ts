// Sends a heartbeat every 20 s while no change is missed. Sluice evicts pods only while heartbeats arrive.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import type { ReadIncarnation } from '../adapters/kubernetes/liveCluster.ts';
import type { Heartbeat } from '../model/change.ts';
import type { Incarnation } from '../model/identity.ts';
import type { EvictionStop } from '../model/stop.ts';
import type { ChangeSink, Clock, Log } from '../ports.ts';
import { type DateSample, middleOf, narrowed } from './clockOffset.ts';
import type { InTreeTraces } from './inTreeTraces.ts';
import { isEstablished, type KindState } from './kinds.ts';
import { createComplaint, pause } from './pauses.ts';

export interface HeartbeatDependencies {
  readonly client: ApiClient;
  readonly sink: ChangeSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly kinds: readonly KindState[];
  /** Changes are stuck in the outbox: the ingest queue lags behind what the watcher has seen. */
  readonly isStuck: () => boolean;
  readonly interval?: number;
  /** Sent with every heartbeat; the first trace is sent at once. */
  readonly traces: Pick<InTreeTraces, 'newest'>;
  /** EvictionStops have been listed, or cannot be. */
  readonly areStopsKnown: () => boolean;
  /** The EvictionStops of the cluster, or `undefined` if they cannot be read. Sent with every heartbeat; a change is sent at once. */
  readonly stops: () => readonly EvictionStop[] | undefined;
  /** API versions of further kinds that this API server serves. */
  readonly servedApis: () => Promise<Readonly<Record<string, string>>>;
  /** The incarnation that the lists and watches belong to. */
  readonly incarnation: Incarnation;
  readonly readIncarnation: ReadIncarnation;
  /** The API server has another incarnation: aborts the signal. */
  readonly onReplaced: () => void;
}

const defaultInterval = 20_000;
/** One stop is enough to stop the cluster; more of them would only make the message longer. */
const mostStops = 20;
/** Milliseconds between checks whether a heartbeat is due: first, while the last kind may become established at any moment, and later. */
const firstTick = 50;
const tick = 200;
/** Date headers of two minutes. */
const keptSamples = 6;

export interface HeartbeatState {
  last: number | undefined;
  clockOffset: number;
}

/** Ends when the signal is aborted, or when the cluster has another incarnation. */
export async function beat(deps: HeartbeatDependencies, state: HeartbeatState): Promise<void> {
  const complaint = createComplaint(deps.log, deps.clock);
  let samples: readonly DateSample[] = [];
  const news = createNews(deps);
  while (!deps.signal.aborted) {
    if (!(news.isAny() || isDue(deps, state)) || !isAllKnown(deps) || deps.isStuck()) {
      await pause(deps.signal, untilNextLook(deps, state));
      continue;
    }
    const sample = await ask(deps);
    if (deps.signal.aborted) return;
    if (typeof sample === 'string') {
      complaint.say(`no heartbeat: ${sample}`);
      await pause(deps.signal, 1000);
      continue;
    }
    complaint.settle('the API server answers again');
    samples = [...samples, sample].slice(-keptSamples);
    state.clockOffset = middleOf(narrowed(samples) ?? { from: 0, to: 0 });
    const served = await deps.servedApis();
    // A kind may have stopped being established during the request.
    if (!isAllKnown(deps)) continue;
    if (state.last === undefined) deps.log.info('all kinds are listed and watched', objectsOf(deps.kinds));
    state.last = deps.clock.now();
    const { last, clockOffset } = state;
    await deps.sink.send([heartbeatOf(deps.kinds, { at: last + clockOffset, clockOffset, served, ...news.take() })]);
  }
}

function isAllKnown({ kinds, areStopsKnown }: HeartbeatDependencies): boolean {
  return areStopsKnown() && kinds.every(isEstablished);
}

/** The first trace of the in-tree controller and every change of the EvictionStops are sent at once. */
function createNews({ traces, stops }: Pick<HeartbeatDependencies, 'traces' | 'stops'>): {
  isAny(): boolean;
  /** The current state, which is no longer news. */
  take(): Pick<Heartbeat, 'inTree' | 'stops'>;
} {
  const look = () => ({ inTree: traces.newest, stops: stops()?.slice(0, mostStops) });
  // A stop that was created again under its name is another one.
  const textOf = ({ inTree, stops: found }: ReturnType<typeof look>) =>
    JSON.stringify([inTree !== undefined, found?.map(({ name, uid }) => [name, uid])]);
  let told = textOf({ inTree: undefined, stops: undefined });
  return {
    isAny: () => textOf(look()) !== told,
    take() {
      const { inTree, stops: found } = look();
      told = textOf({ inTree, stops: found });
      return { ...(inTree && { inTree }), ...(found && { stops: found }) };
    },
  };
}

function untilNextLook({ clock, interval = defaultInterval }: HeartbeatDependencies, { last }: HeartbeatState): number {
  if (last === undefined) return firstTick;
  return Math.min(tick, Math.max(firstTick, last + interval - clock.now()));
}

function isDue({ clock, interval = defaultInterval }: HeartbeatDependencies, { last }: HeartbeatState): boolean {
  return last === undefined || clock.now() - last >= interval;
}

/** The Date sample, or why no heartbeat can be sent. */
async function ask(deps: HeartbeatDependencies): Promise<DateSample | string> {
  const [sample, live] = await Promise.all([askForDate(deps), deps.readIncarnation()]);
  if (live.kind !== 'Found') return live.why;
  if (live.incarnation === deps.incarnation) return sample;
  deps.log.warn('the cluster has another incarnation: it is listed again', { incarnation: live.incarnation });
  deps.onReplaced();
  return 'the cluster has another incarnation';
}

/** Any response counts, even an error status: it proves that the API server is reachable, which an idle watch does not. */
async function askForDate({ client, clock }: HeartbeatDependencies): Promise<DateSample | string> {
  const asked = clock.now();
  const answer = await client.send({ method: 'GET', path: '/version', subject: 'version' });
  if (answer.kind === 'Failed') return answer.why;
  const date = Date.parse(answer.date ?? '');
  if (Number.isNaN(date)) return `the API server's answer has no Date header (${answer.status})`;
  return { date, asked, answered: clock.now() };
}

function heartbeatOf(
  kinds: readonly KindState[],
  {
    served,
    ...now
  }: Pick<Heartbeat, 'at' | 'clockOffset' | 'inTree' | 'stops'> & { readonly served: Readonly<Record<string, string>> },
): Heartbeat {
  const watched = kinds.flatMap((kind) => (kind.version === undefined ? [] : [[kind.kind, kind.version]]));
  const notServed = kinds.flatMap(({ phase, kind }) => (phase === 'NotServed' ? [kind] : []));
  const wentBack = kinds.flatMap((kind) => (kind.wentBack ? [kind.kind] : []));
  return {
    type: 'Heartbeat',
    ...now,
    watched: { ...served, ...Object.fromEntries(watched) },
    ...(notServed.length > 0 ? { notServed } : {}),
    ...(wentBack.length > 0 ? { wentBack } : {}),
  };
}

function objectsOf(kinds: readonly KindState[]): Record<string, number> {
  return Object.fromEntries(kinds.map((kind) => [kind.kind, kind.objects]));
}
