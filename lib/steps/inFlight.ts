// Keeps evictions of one node or one owner from being more at once than their policy allows: by pacers beforehand, by evictors for certain.
import type { Census } from '../decide/census.ts';
import { type FlightScope, limitsFlight, mostAtOnce, nextSeat, scopesOf } from '../decide/inFlight.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { EvictionLimits } from '../model/policy.ts';
import { boardFlight, readInFlight } from '../state/flightRows.ts';
import type { PodRow } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import type { Write } from '../table.ts';
import { recentCensus } from './census.ts';
import { readReservedPods } from './reservedPods.ts';
import type { StepDependencies } from './step.ts';

interface At {
  readonly limiter: LimiterId;
  readonly ruleSet: RuleSet;
}

/** Whether evictions by a limiter wait for each other. */
export function hasFlightLimits({ limiter, ruleSet }: At): boolean {
  return limitsFlight(policyOf(limiter, ruleSet)?.limits);
}

export type Boarding =
  | { readonly kind: 'Board'; readonly writes: readonly Write[] }
  | { readonly kind: 'Full'; readonly why: string };

/** For the evictor: what goes into the transaction that writes the intent, so that no two take the last seat. */
export async function board(
  deps: StepDependencies,
  state: State,
  at: At & { readonly row: PodRow },
): Promise<Boarding> {
  const { row } = at;
  const scopes = scopesOf(row.object, policyOf(at.limiter, at.ruleSet)?.limits);
  const census = await censusFor(deps, state, scopes);
  const writes: Write[] = [];
  for (const scope of scopes) {
    const { seats, inFlight } = await readInFlight(state, scope);
    const next = nextSeat(seats, { most: mostAtOnce(scope, census), inFlight });
    if (!next) return { kind: 'Full', why: `${inFlight.size} evictions of ${scope.kind} ${scope.of} are in flight` };
    writes.push(boardFlight(state, scope, { ...next, pod: row.key, uid: row.uid, now: deps.clock.now() }));
  }
  return { kind: 'Board', writes };
}

function censusFor(deps: StepDependencies, state: State, scopes: readonly FlightScope[]): Promise<Census | undefined> {
  const isRelative = scopes.some(({ atOnce }) => 'percent' in atOnce);
  return isRelative ? recentCensus(deps, state) : Promise.resolve(undefined);
}

/** What a pacer knows while it holds its lease: how many more pods of each node and owner it may give slots to. */
export interface Rooms {
  /** Before pods are asked about. */
  look(rows: readonly PodRow[]): Promise<void>;
  has(row: PodRow): boolean;
  take(row: PodRow): void;
}

/** `undefined` where nothing is limited. A slot that is given counts as an eviction in flight. */
export async function openRooms(deps: StepDependencies, state: State, at: At): Promise<Rooms | undefined> {
  const limits = policyOf(at.limiter, at.ruleSet)?.limits;
  if (!limitsFlight(limits)) return undefined;
  const left = new Map<string, number>();
  const taken = new Map<string, number>();
  const take = (row: PodRow) => {
    for (const scope of scopesOf(row.object, limits)) taken.set(keyOf(scope), (taken.get(keyOf(scope)) ?? 0) + 1);
  };
  for (const row of await readReservedPods(state, at.limiter)) take(row);
  return {
    take,
    has: (row) =>
      scopesOf(row.object, limits).every((scope) => (taken.get(keyOf(scope)) ?? 0) < (left.get(keyOf(scope)) ?? 0)),
    async look(rows) {
      const fresh = missing(rows, { limits, known: left });
      const census = await censusFor(deps, state, fresh);
      const found = await Promise.all(
        fresh.map(async (scope) => [scope, (await readInFlight(state, scope)).inFlight.size] as const),
      );
      for (const [scope, inFlight] of found) left.set(keyOf(scope), mostAtOnce(scope, census) - inFlight);
    },
  };
}

function missing(
  rows: readonly PodRow[],
  by: { readonly limits: EvictionLimits | undefined; readonly known: ReadonlyMap<string, unknown> },
): readonly FlightScope[] {
  const scopes = rows.flatMap(({ object }) => scopesOf(object, by.limits));
  const named = new Map(scopes.map((scope) => [keyOf(scope), scope]));
  return [...named].flatMap(([key, scope]) => (by.known.has(key) ? [] : [scope]));
}

function keyOf({ kind, of }: FlightScope): string {
  return `${kind}|${of}`;
}
