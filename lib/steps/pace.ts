// Gives the pods that wait at one limiter their slots, in order, as far ahead as the horizon.
import { epochsOf } from '../decide/epoch.ts';
import { paceText, rateOf } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import { effectiveModes } from '../model/ownership.ts';
import type { Instant } from '../model/time.ts';
import type { PaceMessage } from '../ports.ts';
import { reserveSlots } from '../state/bucketRows.ts';
import { readDue, readReserved, releaseLease, takeLease } from '../state/limiterRows.ts';
import { currentRuleSet } from '../state/neighbourhood.ts';
import { readPods, writeLedger } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import { evictMessages } from './announce.ts';
import { isUnapproved } from './approval.ts';
import { roomInCanary } from './canary.ts';
import { readCandidates, reserve } from './candidates.ts';
import { openRooms, type Rooms } from './inFlight.ts';
import { mapParallel } from './mapParallel.ts';
import { mayAct } from './mayAct.ts';
import { ownsAnything } from './ownedSnapshot.ts';
import { repace } from './repace.ts';
import type { StepDependencies } from './step.ts';

/** Longer than the sweep's period plus its lateness, so that a limiter with a backlog never runs dry between sweeps. */
export const horizon = 90_000;

/** Pods per bucket call. */
const chunk = 50;

/** Pods of the first call: their slots are due at once, and their evictors must not wait for the other writes. */
const firstChunk = 10;

/** Workloads make many pods of few slots; a round must not outlast its lease. */
const podsPerRound = 200;

/** Writes under way at once, for slots that are near and for those that lie ahead; evictors have the right of way. */
const parallelWrites = { near: 8, ahead: 2 } as const;

/** A slot within this time is near. */
const nearAhead = 1000;

/** Rounds of one invocation, far below its time-out; the sweep starts the limiter again. */
const rounds = 40;

/** Long enough for a round; an expired lease only wastes slots, because every step is conditional on the pod's row. */
const leaseDuration = 10_000;

/** A slot this long past belongs to a message that was lost. */
const lostAfter = 15_000;

export async function pace(deps: StepDependencies, message: PaceMessage): Promise<void> {
  const state = { table: deps.table, cluster: message.cluster };
  const { limiter } = message;
  const lease = await takeLease(state, limiter, { now: deps.clock.now(), duration: leaseDuration });
  if (lease.kind === 'Held') return;
  let wanted = lease.wanted;
  let known: Known = lease.pace === undefined ? {} : { pace: lease.pace };
  for (let round = 0; round < rounds; round++) {
    if (await paceOnce(deps, state, { ...message, most: round === 0 ? firstChunk : chunk, known })) continue;
    const released = await releaseLease(state, limiter, wanted);
    if (released.kind === 'Released') return;
    wanted = released.wanted;
    known = known.pace === undefined ? {} : { pace: known.pace };
  }
  await releaseLease(state, limiter, wanted);
}

/** Read once for all rounds, until somebody asks to look again. */
interface Known {
  /** At which the limiter was paced last. */
  pace?: string;
  rooms?: Promise<Rooms | undefined>;
}

/** One chunk; true while there is more to do within the horizon. */
async function paceOnce(
  deps: StepDependencies,
  state: State,
  { limiter, hops, most, known }: PaceMessage & { readonly most: number; readonly known: Known },
): Promise<boolean> {
  const now = deps.clock.now();
  if (!(await mayAct(deps, state, now))) return false;
  await resend(deps, state, limiter);
  const promoted = await promoteDue(state, limiter, now);
  const ruleSet = await currentRuleSet(state);
  if (!ownsAnything(effectiveModes(deps.modesOf(state.cluster), ruleSet.modes))) return false;
  known.pace = await repace(deps, state, { limiter, known: known.pace, ruleSet, now });
  const { rules } = ruleSet;
  if (await isUnapproved(deps, state, { limiter, ruleSet })) return promoted;
  const room = await roomInCanary(deps, state, { limiter, ruleSet });
  if (room < 1) return promoted;
  const rate = rateOf(limiter, ruleSet, now);
  known.rooms ??= openRooms(deps, state, { limiter, ruleSet });
  const rooms = await known.rooms;
  const epoch = epochsOf(rules)(limiter);
  const mostPods = Math.min(podsPerRound, room);
  const units = await readCandidates(state, { limiter, epoch, most: Math.min(most, room), mostPods, rate, now, rooms });
  if (units.length === 0) return promoted;
  const asking = units.filter(({ shared }) => !shared);
  const frozen = deps.clock.now();
  const request = { rate, now: frozen, wanted: asking.length, horizon, limit: deps.limitOf(state.cluster) };
  const slots = asking.length === 0 ? [] : await reserveSlots(state, limiter, request);
  const given = [
    ...units.flatMap(({ pods, shared }) => (shared ? pods.map((row) => ({ row, reservation: shared })) : [])),
    ...slots.flatMap((slot, i) => {
      const reservation = { limiter, epoch, slot, reservedAt: frozen, pace: paceText(limiter, ruleSet) };
      return (asking[i]?.pods ?? []).map((row) => ({ row, reservation }));
    }),
  ];
  const isNear = given.some(({ reservation }) => reservation.slot < frozen + nearAhead);
  const lanes = isNear ? parallelWrites.near : parallelWrites.ahead;
  const reserved = await mapParallel(given, lanes, ({ row, reservation }) =>
    reserve(state, row, { reservation, now: frozen }),
  );
  const taken = reserved.flatMap((row) => row ?? []);
  await deps.queues.sendEvict(evictMessages(state.cluster, taken, hops));
  return slots.length === asking.length;
}

/** Waiting rows whose time has come move among the pending ones. */
async function promoteDue(state: State, limiter: LimiterId, now: Instant): Promise<boolean> {
  const due = await readDue(state, limiter, { now, limit: 100 });
  if (due.length === 0) return false;
  const rows = await readPods(
    state,
    due.map((one) => one.pod),
  );
  await mapParallel(rows, parallelWrites.near, (row) => writeLedger(state, row, { ledger: undefined, now }));
  return true;
}

/** Pods whose slot is long past are handed to the evictor again: it voids the slot or finishes the delete. */
async function resend(deps: StepDependencies, state: State, limiter: LimiterId): Promise<void> {
  const late = await readReserved(state, limiter, { upTo: deps.clock.now() - lostAfter, limit: chunk });
  if (late.length === 0) return;
  deps.metrics.add('SweepRepaired', late.length, state.cluster);
  await deps.queues.sendEvict(
    evictMessages(
      state.cluster,
      await readPods(
        state,
        late.map((one) => one.pod),
      ),
    ),
  );
}
