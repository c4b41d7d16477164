// Processes a heartbeat of the watcher: liveness, the kinds that the API server serves, and the modes of the cluster.

import { isSame } from '../../decide/same.ts';
import type { Change, Heartbeat } from '../../model/change.ts';
import type { ClusterId } from '../../model/identity.ts';
import { describePauses } from '../../model/pause.ts';
import { describeStops, stoppedBy } from '../../model/stop.ts';
import type { Instant } from '../../model/time.ts';
import { currentRules } from '../../state/currentRules.ts';
import { isAnotherCluster, noteIncarnation } from '../../state/incarnationRows.ts';
import { limiterPages } from '../../state/limiterRows.ts';
import { type ShownHolds, staleAfter, storeHeartbeat, storeShownHolds } from '../../state/liveness.ts';
import { readPauses } from '../../state/pauseRows.ts';
import { noteServed, settleServed } from '../../state/ruleVersion.ts';
import type { State } from '../../state/state.ts';
import { endNotedStops, noteStops, readNotedStops } from '../../state/stopRows.ts';
import { askForReports, rulesPacedBy } from '../../steps/announce.ts';
import { fanOutTo } from '../../steps/fanOut.ts';
import { openReports } from '../../steps/reportWalk.ts';
import type { StepDependencies } from '../../steps/step.ts';
import { switchModes } from '../../steps/switchModes.ts';
import type { Applied } from './applied.ts';
import { warnOfRestore } from './warnOfRestore.ts';

/** Wakes all limiters after the watcher was silent, or when an EvictionStop was deleted: they evicted no pod during that time. */
export async function heartbeat(
  deps: StepDependencies,
  cluster: ClusterId,
  change: Extract<Change, { type: 'Heartbeat' }>,
): Promise<readonly Applied[]> {
  const state = { table: deps.table, cluster, memory: deps.memory };
  const now = deps.clock.now();
  deps.metrics.add('WatcherLag', Math.max(0, now - change.at), cluster);
  const others = await noteIncarnation(state, { at: change.at, now });
  if (others.some((one) => isAnotherCluster(state, one, now))) deps.metrics.add('ClustersUnderOneName', 1, cluster);
  const { wentBack = [] } = change;
  if (wentBack.length > 0) warnOfRestore(deps, state, { kinds: wentBack });
  const { before, isNewest, shown } = await storeHeartbeat(state, change, now);
  // The served kinds decide what can reserve a claim, so all pods are evaluated again.
  const served = { podGroups: 'PodGroup' in change.watched, notServed: change.notServed ?? [] };
  const owed = await noteServed(state, served);
  if (owed !== undefined) {
    await fanOutTo(deps, state, { cause: 'served#', epoch: String(owed), reaches: [{}] });
    await settleServed(state, owed);
  }
  await switchModes(deps, state, { mayPlan: false, inTree: change.inTree });
  const wasSilent = before === undefined || Math.abs(change.at - before) >= staleAfter;
  const isFresh = isNewest && Math.abs(now - change.at) < staleAfter;
  const ended = isFresh ? await seeStops(state, change.stops, now) : undefined;
  if (wasSilent || ended !== undefined) await wakeLimiters(deps, state);
  const applied = isFresh ? await showHolds(deps, state, { shown, stops: change.stops }) : [];
  // Last: if this invocation ends half way, the note is still there, and the message wakes the limiters again.
  if (ended !== undefined) await endNotedStops(state, ended);
  return applied;
}

async function wakeLimiters(deps: StepDependencies, state: State): Promise<void> {
  const { cluster } = state;
  const rules = await currentRules(state);
  for await (const limiters of limiterPages(state, { from: undefined })) {
    await deps.queues.sendEvict(limiters.map((limiter) => ({ cluster, limiter })));
    await askForReports(deps, state, rulesPacedBy(limiters, rules));
  }
}

const holdWalk = 'reports|holds';

/** A stop or pause of the whole cluster has begun or ended: all conditions show it at once, also those of rules without pods. */
async function showHolds(
  deps: StepDependencies,
  state: State,
  { shown, stops }: { readonly shown: ShownHolds; readonly stops: Heartbeat['stops'] },
): Promise<readonly Applied[]> {
  const holds = {
    stops: stops === undefined ? shown.stops : describeStops(stops),
    pauses: describePauses(await readPauses(state)),
  };
  if (isSame(holds, shown)) return [];
  await openReports(deps, state, { name: holdWalk, of: { kind: 'Selected', selectors: [{}] } });
  await storeShownHolds(state, holds);
  return [{ pods: [], reportWalk: holdWalk }];
}

/** A hint for readers of the table; stages read EvictionStops themselves. Returns when the stops were noted that no longer exist. */
async function seeStops(state: State, stops: Heartbeat['stops'], now: Instant): Promise<Instant | undefined> {
  if (stops === undefined) return undefined;
  if (stops.length > 0) {
    await noteStops(state, { why: stoppedBy(stops), stops, now });
    return undefined;
  }
  const noted = await readNotedStops(state, now);
  // A note without stops says that a stage cannot read them, which the watcher's answer does not change.
  return noted && noted.stops.length > 0 ? noted.seenAt : undefined;
}
