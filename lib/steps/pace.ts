// Gives the pods that wait at one limiter their slots, in order, as far ahead as the horizon.
import { epochsOf } from '../decide/epoch.ts';
import { paceText, policyOf, rateOf } from '../decide/rate.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { PaceMessage } from '../model/message.ts';
import { effectiveModes } from '../model/ownership.ts';
import type { Instant } from '../model/time.ts';
import { type Paced, readDue, readReserved, releaseLease, takeLease } from '../state/limiterRows.ts';
import { currentRuleSet } from '../state/neighbourhood.ts';
import { readPods, writeLedger } from '../state/podRows.ts';
import type { State } from '../state/state.ts';
import { readVacancies } from '../state/vacancyRows.ts';
import { evictMessages } from './announce.ts';
import { isUnapproved } from './approval.ts';
import { roomInCanary } from './canary.ts';
import { readCandidates } from './candidates.ts';
import { openRooms, type Rooms } from './inFlight.ts';
import { mapParallel } from './mapParallel.ts';
import { mayAct } from './mayAct.ts';
import { moveUp } from './moveUp.ts';
import { ownsAnything } from './ownedSnapshot.ts';
import { repace } from './repace.ts';
import { reserve, vacatedBy } from './reserve.ts';
import { slotsFor } from './slotsFor.ts';
import type { StepDependencies } from './step.ts';

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

/** Limiters whose slots are left by those that are paced because theirs were left, and so on; the sweep goes on. */
const deepest = 3;

/** No other limiter is begun after so long, far below the time-out. */
const othersFor = 10_000;

/** A slot this long past belongs to a message that was lost. */
const lostAfter = 15_000;

export function pace(deps: StepDependencies, message: PaceMessage): Promise<void> {
  return paceLimiter(deps, message, { depth: 0, until: deps.clock.now() + othersFor });
}

/** And then, within the same invocation, the limiters whose slots were left for this one's: they can be given again. */
async function paceLimiter(
  deps: StepDependencies,
  message: PaceMessage,
  { depth, until }: { readonly depth: number; readonly until: Instant },
): Promise<void> {
  const left = await paceAlone(deps, message);
  if (depth >= deepest) return;
  for (const limiter of left)
    if (deps.clock.now() < until) await paceLimiter(deps, { ...message, limiter }, { depth: depth + 1, until });
}

async function paceAlone(deps: StepDependencies, message: PaceMessage): Promise<ReadonlySet<LimiterId>> {
  const state = { table: deps.table, cluster: message.cluster };
  const { limiter } = message;
  const left = new Set<LimiterId>();
  const lease = await takeLease(state, limiter, { now: deps.clock.now(), duration: leaseDuration });
  if (lease.kind === 'Held') return left;
  let wanted = lease.wanted;
  let known: Known = { paced: lease, left };
  for (let round = 0; round < rounds; round++) {
    if (await paceOnce(deps, state, { ...message, most: round === 0 ? firstChunk : chunk, known })) continue;
    const released = await releaseLease(state, limiter, wanted);
    if (released.kind === 'Released') return left;
    wanted = released.wanted;
    known = { paced: known.paced, left };
  }
  await releaseLease(state, limiter, wanted);
  return left;
}

/** Read once for all rounds, until somebody asks to look again. */
interface Known {
  /** At which the limiter was paced last. */
  paced: Paced;
  /** Limiters whose slots were left for this one's. */
  readonly left: Set<LimiterId>;
  rooms?: Promise<Rooms | undefined>;
}

/** One chunk; true while there is more to do within the horizon. */
async function paceOnce(
  deps: StepDependencies,
  state: State,
  { limiter, most, known, ...chain }: PaceMessage & { readonly most: number; readonly known: Known },
): Promise<boolean> {
  const now = deps.clock.now();
  if (!(await mayAct(deps, state, now))) return false;
  await resend(deps, state, limiter);
  const promoted = await promoteDue(state, limiter, now);
  const ruleSet = await currentRuleSet(state);
  if (!ownsAnything(effectiveModes(deps.modesOf(state.cluster), ruleSet.modes))) return false;
  known.paced = await repace(deps, state, { limiter, known: known.paced, ruleSet, now });
  if (await isUnapproved(deps, state, { limiter, ruleSet })) return promoted;
  const room = await roomInCanary(deps, state, { limiter, ruleSet });
  if (room < 1) return promoted;
  const rate = rateOf(limiter, ruleSet, now);
  known.rooms ??= openRooms(deps, state, { limiter, ruleSet });
  const rooms = await known.rooms;
  const epoch = epochsOf(ruleSet.rules)(limiter);
  const wanted = { most: Math.min(most, room), mostPods: Math.min(podsPerRound, room) };
  const { series } = known.paced;
  const isGrouped = policyOf(limiter, ruleSet)?.groupBy !== undefined;
  const vacant = isGrouped ? [] : await readVacancies(state, limiter, { now, series, most: wanted.most });
  const units = await readCandidates(state, { limiter, epoch, ...wanted, rate, now, rooms, vacant });
  if (units.length === 0 && vacant.length === 0) return promoted;
  const frozen = deps.clock.now();
  const offer = { limiter, epoch, reservedAt: frozen, pace: paceText(limiter, ruleSet), series };
  const { given, isAll } = await slotsFor(deps, state, { units, vacant, rate, offer });
  const isNear = given.some(({ reservation }) => reservation.slot < frozen + nearAhead);
  const lanes = isNear ? parallelWrites.near : parallelWrites.ahead;
  const reserved = await mapParallel(given, lanes, async ({ row, ...by }) => {
    const taken = await reserve(state, row, { ...by, now: frozen });
    const left = taken && vacatedBy(row, frozen);
    if (left) known.left.add(left.limiter);
    return taken;
  });
  const unused = vacant.slice(units.filter(({ shared }) => !shared).length);
  const moved = await moveUp(state, { vacant: unused, offer });
  const taken = [...reserved.flatMap((row) => row ?? []), ...moved];
  await deps.queues.sendEvict(evictMessages(state.cluster, taken, chain));
  return (isAll && given.length > 0) || moved.length > 0;
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
