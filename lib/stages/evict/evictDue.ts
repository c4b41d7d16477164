// Evicts the due pods of one limiter: gates, candidates, tokens, and as many pods concurrently as table and API server allow.
import { lastUse } from '../../decide/token.ts';
import type { LimiterFacts } from '../../gates/gate.ts';
import { askedOf, roomOf, scopeKey } from '../../gates/index.ts';
import type { Token } from '../../model/eviction.ts';
import type { Uid } from '../../model/identity.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { PodRow } from '../../state/podRows.ts';
import { waitsInside } from '../../steps/wakes.ts';
import type { Candidates, Unit } from './candidates.ts';
import { type Concurrency, createConcurrency, type Leave } from './concurrency.ts';
import { readAhead } from './readAround.ts';
import type { NextToken, Round } from './round.ts';
import { startPod } from './start.ts';
import { tokensAhead } from './tokens.ts';

export type RoundEnd =
  | { readonly kind: 'NobodyDue' | 'TimeUp' | 'LeaseLost' }
  | { readonly kind: 'NextTokenLater'; readonly at: Instant }
  /** A gate holds all pods of the limiter. */
  | { readonly kind: 'Kept' };

/** Maximum number of tokens taken with one write. */
const tokensAtOnce = 50;

/** Interval between checks of lease, gates and list. */
const lookEvery: Milliseconds = 250;

/** Evictions that are running in this invocation. */
interface Flight {
  readonly busy: Map<Uid, Promise<void>>;
  /** By group: the token that its members share. */
  readonly groups: Map<string, Token>;
  readonly concurrency: Concurrency;
  failure: { readonly error: unknown } | undefined;
}

export async function evictDue(
  round: Round,
  candidates: Candidates,
  mayGoOn: () => Promise<'Yes' | 'TimeUp' | 'LeaseLost'>,
): Promise<RoundEnd> {
  const concurrency = round.deps.memory.of('concurrency', () => createConcurrency());
  const flight: Flight = { busy: new Map(), groups: new Map(), concurrency, failure: undefined };
  const [known] = await Promise.all([round.facts(), candidates.load()]);
  readAhead(round, candidates, known);
  let end: RoundEnd | undefined;
  while (!end && !flight.failure) {
    const may = await mayGoOn();
    end = may === 'Yes' ? await startNext(round, { candidates, flight }) : { kind: may };
  }
  await Promise.all(flight.busy.values());
  if (flight.failure) throw flight.failure.error;
  return end ?? { kind: 'Kept' };
}

/** Starts the next pod, or waits briefly; returns an end where there is nothing more to do. */
async function startNext(
  round: Round,
  { candidates, flight }: { readonly candidates: Candidates; readonly flight: Flight },
): Promise<RoundEnd | undefined> {
  if (round.delayed.size > 0 && flight.busy.size > 0) return pause(round, flight);
  const known = await round.facts();
  const { most, because } = roomOf(known.facts);
  const room = most - (known.facts.canary ? flight.busy.size : 0);
  if (room < 1) {
    if (flight.busy.size > 0) return pause(round, flight);
    round.retries.lookAfter(because);
    return { kind: 'Kept' };
  }
  // A token taken while no place is free would expire.
  if (flight.concurrency.isFull())
    return Promise.race([flight.concurrency.changed(), round.deps.clock.sleep(lookEvery)]).then(() => undefined);
  const unit = await candidates.next((row) => isLeftOut(round, flight, { row, facts: known.facts }));
  if (!unit) return atEnd(round, flight);
  // More tokens would expire before places are free for their pods.
  const wanted = Math.min(room, candidates.upcoming.length + 1, tokensAtOnce, flight.concurrency.places());
  const found = await tokenFor(round, { unit, flight, wanted });
  if (found.kind === 'Token') {
    const pods = unit.pods.slice(0, room);
    if (!(await startUnit(round, { unit: { ...unit, pods }, token: found.token, flight }))) candidates.giveBack(unit);
    return undefined;
  }
  candidates.giveBack(unit);
  if (flight.busy.size > 0) return pause(round, flight);
  return found.kind === 'Later' ? { kind: 'NextTokenLater', at: found.at } : { kind: 'Kept' };
}

/** Pods that are running, were passed over a moment ago, or are in a scope that is full. */
function isLeftOut(
  { deps, passedOver, full }: Round,
  { busy }: Flight,
  { row, facts }: { readonly row: PodRow; readonly facts: LimiterFacts },
): boolean {
  const now = deps.clock.now();
  if (busy.has(row.uid) || (passedOver.get(row.uid)?.until ?? 0) > now) return true;
  if (full.size === 0 || !row.ledger) return false;
  const { scopes } = askedOf({ pod: row.object, ledger: row.ledger }, facts);
  return scopes.some((scope) => (full.get(scopeKey(scope)) ?? 0) > now);
}

/** Waits for running evictions, and briefly for pods that were passed over. */
async function atEnd(round: Round, flight: Flight): Promise<RoundEnd | undefined> {
  if (flight.busy.size > 0) return pause(round, flight);
  const { deps, passedOver } = round;
  const now = deps.clock.now();
  const soon = [...passedOver.values()].map(({ until }) => until - now).filter((left) => left > 0);
  const next = Math.min(...soon);
  if (next > waitsInside) return { kind: 'NobodyDue' };
  await deps.clock.sleep(next);
  return undefined;
}

/** Waits for a token that comes soon. A member of a group with a valid token shares that token. */
async function tokenFor(
  round: Round,
  { unit, flight, wanted }: { readonly unit: Unit; readonly flight: Flight; readonly wanted: number },
): Promise<NextToken> {
  const { deps, tokens } = round;
  const shared = unit.group === undefined ? undefined : flight.groups.get(unit.group);
  if (shared && lastUse(shared) >= deps.clock.now()) return { kind: 'Token', token: shared };
  const soon = deps.clock.now() + waitsInside;
  for (;;) {
    const found = await tokens.next(round.facts, wanted);
    if (found.kind === 'Token') return (await waitUntil(round, found.token.at)) ? found : { kind: 'Never' };
    if (found.kind === 'Never' || found.at > soon) return found;
    if (!(await waitUntil(round, found.at - tokensAhead))) return { kind: 'Never' };
  }
}

/** Maximum sleeps per wait; more than one means that the clock was set back. */
const awakenings = 6;

async function waitUntil({ deps }: Round, at: Instant): Promise<boolean> {
  for (let i = 0; i < awakenings; i++) {
    const left = at - deps.clock.now();
    if (left <= 0) return true;
    await deps.clock.sleep(Math.min(left, waitsInside));
  }
  return deps.clock.now() >= at;
}

/** Uses one token for all pods of a unit, or returns the token if no pod needs it. `false`: the token expired while no place was free. */
async function startUnit(
  round: Round,
  { unit, token, flight }: { readonly unit: Unit; readonly token: Token; readonly flight: Flight },
): Promise<boolean> {
  const { deps, turn, tokens } = round;
  const started: Promise<boolean>[] = [];
  for (const row of unit.pods) {
    const leave = await enter(flight.concurrency);
    if (started.length === 0 && lastUse(token) < deps.clock.now()) {
      leave(undefined);
      deps.metrics.add('TokensDropped', 1, turn.state.cluster);
      return false;
    }
    started.push(startOne(round, { row, token, claimRows: unit.claimRows, flight, leave }));
  }
  if (unit.group !== undefined) flight.groups.set(unit.group, token);
  void Promise.all(started).then((used) => {
    if (!used.includes(true)) tokens.giveBack(token);
  });
  return true;
}

/** Resolves to whether the pod used the token. */
function startOne(
  round: Round,
  by: { row: PodRow; token: Token; claimRows: Unit['claimRows']; flight: Flight; leave: Leave },
): Promise<boolean> {
  const { row, token, claimRows, flight, leave } = by;
  const since = Math.max(token.at, token.takenAt);
  const started = startPod(round, { row, token, claimRows }).then(
    (result) => {
      leave(result.kind === 'Used' ? result.outcome : undefined, round.deps.clock.now() - since);
      return result.kind === 'Used';
    },
    (error: unknown) => {
      leave(undefined);
      flight.failure ??= { error };
      return true;
    },
  );
  const ended = started.then(() => void flight.busy.delete(row.uid));
  flight.busy.set(row.uid, ended);
  return started;
}

async function enter(concurrency: Concurrency): Promise<Leave> {
  for (;;) {
    const leave = concurrency.tryEnter();
    if (leave) return leave;
    await concurrency.changed();
  }
}

async function pause({ deps }: Round, { busy }: Flight): Promise<undefined> {
  await Promise.race([...busy.values(), deps.clock.sleep(lookEvery)]);
  return undefined;
}
