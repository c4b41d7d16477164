// Evicts the pods of one message, each at its slot: read everything again, mark, delete, record.
import type { LaneOutcome } from '../decide/lanes.ts';
import type { EvictionTask } from '../model/eviction.ts';
import { nameKey } from '../model/identity.ts';
import { type EvictMessage, leadOf } from '../model/message.ts';
import type { RuleRef } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import type { Clock } from '../ports.ts';
import { readPod } from '../state/podRows.ts';
import { askForReports } from './announce.ts';
import { carryOut } from './carryOut.ts';
import { rulesOf } from './evaluatePods.ts';
import { judge } from './judge.ts';
import { lanesOf } from './lanes.ts';
import { settle } from './settle.ts';
import { type ClusterStepDependencies, notReached, type Turn } from './step.ts';

/** Its last slot lies at most a second after its first, for which it comes at most one second early (whole seconds of delay); and clocks differ. */
const longestWait = 4500;

/** Lost races of one pod; each means that an evaluation was faster. */
const attempts = 6;

/** Nobody is begun later than this after the message came: a function that is ended under way leaves intents open (AWS Lambda timeout, 30 s). */
const beginsWithin = 20_000;

/** Throws where a pod has to be looked at again by the same message; all others of the message are done before. */
export async function evict(deps: ClusterStepDependencies, message: EvictMessage): Promise<void> {
  const access = deps.accessTo(message.cluster);
  if (!access) throw notReached(message.cluster);
  const state = { table: deps.table, cluster: message.cluster };
  const turn = { state, access, hops: message.hops ?? 0, late: message.late ?? 0 };
  const evicted = new Set<RuleRef>();
  const until = deps.clock.now() + beginsWithin;
  const longest = longestWait + leadOf(message);
  const results = await Promise.allSettled(
    message.tasks.map((task) => evictTask(deps, turn, { task, evicted, until, longest })),
  );
  // The first pod of each rule has asked already; a report that was written since then does not count the last ones.
  if (message.tasks.length > 1) await askForReports(deps, state, evicted);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

interface Evicting {
  readonly task: EvictionTask;
  /** Rules for which this message has asked for a report. */
  readonly evicted: Set<RuleRef>;
  readonly until: Instant;
  /** A slot further ahead is for a message of its own. */
  readonly longest: Milliseconds;
}

async function evictTask(deps: ClusterStepDependencies, turn: Turn, one: Evicting): Promise<void> {
  if (one.task.settles) return settle(deps, turn, one.task);
  if (!(await waitFor(deps.clock, one.task.slot, one.longest))) return;
  const leave = await lanesOf(turn.state.table).enter();
  try {
    if (deps.clock.now() > one.until) throw new Error(`pod ${nameKey(one.task.pod)}: too many before it; comes back`);
    leave(await inLane(deps, turn, one));
  } catch (error) {
    leave(undefined);
    throw error;
  }
}

/** Each means that the clock was put back meanwhile. */
const awakenings = 6;

/** Whether the slot has come. */
async function waitFor(clock: Clock, slot: Instant, longest: Milliseconds): Promise<boolean> {
  for (let i = 0; i < awakenings; i++) {
    const left = slot - clock.now();
    if (left <= 0) return true;
    if (left > longest) return false;
    await clock.sleep(left);
  }
  return clock.now() >= slot;
}

/** `undefined` where the pod was not this message's to delete: that says nothing of how fast deletes are. */
async function inLane(
  deps: ClusterStepDependencies,
  turn: Turn,
  { task, evicted }: Evicting,
): Promise<LaneOutcome | undefined> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const row = await readPod(turn.state, `${task.pod.namespace}/${task.pod.name}`);
    if (!row?.ledger || row.uid !== task.pod.uid || row.ledger.podUid !== task.pod.uid) return undefined;
    const judged = await judge(deps, turn, row);
    if (judged.kind === 'Lost') continue;
    if (judged.kind === 'Done') return undefined;
    const result = await carryOut(deps, turn, judged);
    const rules = [...rulesOf(judged.row.ledger)].filter((rule) => !evicted.has(rule));
    for (const rule of rules) evicted.add(rule);
    await askForReports(deps, turn.state, rules);
    if (result.kind === 'Lost') continue;
    return result.late === true ? 'Late' : 'InTime';
  }
  throw new Error(`pod ${task.pod.namespace}/${task.pod.name}: its row moved under ${attempts} attempts to evict it`);
}
