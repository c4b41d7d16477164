// Evicts the pods of one message, each at its slot: read everything again, mark, delete, record.
import type { EvictionTask } from '../model/eviction.ts';
import type { EvictMessage } from '../ports.ts';
import { readPod } from '../state/podRows.ts';
import { askForReports } from './announce.ts';
import { carryOut } from './carryOut.ts';
import { rulesOf } from './evaluatePods.ts';
import { judge } from './judge.ts';
import { settle } from './settle.ts';
import { type ClusterStepDependencies, notReached, type Turn } from './step.ts';

/** A message comes at most one second early (whole seconds of delay), plus what clocks may differ. */
const longestWait = 2500;

/** Lost races of one pod; each means that an evaluation was faster. */
const attempts = 6;

/** Throws where a pod has to be looked at again by the same message; all others of the message are done before. */
export async function evict(deps: ClusterStepDependencies, message: EvictMessage): Promise<void> {
  const access = deps.accessTo(message.cluster);
  if (!access) throw notReached(message.cluster);
  const state = { table: deps.table, cluster: message.cluster };
  const results = await Promise.allSettled(
    message.tasks.map((task) => evictTask(deps, { state, access, hops: message.hops ?? 0 }, task)),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

async function evictTask(deps: ClusterStepDependencies, turn: Turn, task: EvictionTask): Promise<void> {
  if (task.settles) return settle(deps, turn, task);
  const wait = task.slot - deps.clock.now();
  if (wait > longestWait) return;
  if (wait > 0) await deps.clock.sleep(wait);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const row = await readPod(turn.state, `${task.pod.namespace}/${task.pod.name}`);
    if (!row?.ledger || row.uid !== task.pod.uid || row.ledger.podUid !== task.pod.uid) return;
    const judged = await judge(deps, turn, row);
    if (judged.kind === 'Lost') continue;
    if (judged.kind === 'Done') return;
    const result = await carryOut(deps, turn, judged);
    await askForReports(deps, turn.state, rulesOf(judged.row.ledger));
    if (result.kind === 'Lost') continue;
    return;
  }
  throw new Error(`pod ${task.pod.namespace}/${task.pod.name}: its row moved under ${attempts} attempts to evict it`);
}
