// Asks the gates about one pod right before its intent, and builds the writes that count its eviction.

import type { Counted, LimiterFacts, PodFacts } from '../../gates/gate.ts';
import { admit, askedOf, type Kept, scopeKey } from '../../gates/index.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import { type InFlight, readInFlight, takePlace } from '../../state/inFlightRows.ts';
import { countRound, readRounds } from '../../state/loopRows.ts';
import type { PodRow } from '../../state/podRows.ts';
import type { State } from '../../state/state.ts';
import { recentCensus } from '../../steps/census.ts';
import type { EvictDependencies } from '../../steps/step.ts';
import type { Write } from '../../table.ts';
import type { AskedRow } from './round.ts';

export type Admitted =
  /** The writes must be in the transaction of the intent, so that two pods cannot take the last place in flight. */
  { readonly kind: 'Admitted'; readonly writes: readonly Write[] } | Kept;

export async function admitPod(
  deps: EvictDependencies,
  state: State,
  {
    row,
    facts,
    snapshot,
  }: { readonly row: AskedRow; readonly facts: LimiterFacts; readonly snapshot: Pick<Snapshot, 'namespaces'> },
): Promise<Admitted> {
  const pod = { pod: row.object, ledger: row.ledger };
  const { scopes, isRelative, rounds: asked } = askedOf(pod, facts);
  const [inFlight, census, rounds] = await Promise.all([
    scopes.length === 0 ? [] : readInFlight(state, scopes),
    isRelative ? recentCensus(deps, state) : undefined,
    asked ? readRounds(state, asked.owner, asked.devices) : [],
  ]);
  const known = new Map(inFlight.map((one) => [scopeKey(one.scope), one]));
  const podFacts: PodFacts = {
    ...pod,
    inFlight: (scope) =>
      (known.get(scopeKey(scope))?.pods ?? []).flatMap((one) => (one.uid === row.uid ? [] : [one.pod])),
    namespace: snapshot.namespaces?.get(row.object.namespace),
    ...(census ? { census } : {}),
    rounds,
  };
  const admission = admit(podFacts, facts);
  if (admission.kind === 'Kept') return admission;
  const now = deps.clock.now();
  return { kind: 'Admitted', writes: admission.counted.flatMap((one) => countWrites(state, one, { row, known, now })) };
}

function countWrites(
  state: State,
  counted: Counted,
  by: { readonly row: PodRow; readonly known: ReadonlyMap<string, InFlight>; readonly now: Instant },
): readonly Write[] {
  const { row, now } = by;
  if (counted.kind === 'Round') {
    const { owner, rounds, window } = counted;
    return [countRound(state, owner, { ...rounds, window, now })];
  }
  const before = by.known.get(scopeKey(counted.scope));
  return before ? [takePlace(state, before, { uid: row.uid, pod: row.key, now })] : [];
}

/** Runs pods of one scope one after the other, since each intent changes the row that the next pod reads. */
export async function oneByOne<T>(
  deps: EvictDependencies,
  keys: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  if (keys.length === 0) return work();
  const last = deps.memory.of('scopes', () => new Map<string, Promise<unknown>>());
  const before = keys.map((key) => last.get(key));
  const mine = Promise.allSettled(before).then(work);
  const ended = mine.catch(() => undefined);
  for (const key of keys) last.set(key, ended);
  void ended.then(() => {
    for (const key of keys) if (last.get(key) === ended) last.delete(key);
  });
  return mine;
}
