// Applies the configured and requested modes to a cluster: cancels what is switched off, plans what is switched on.
import { switchingOf } from '../decide/switching.ts';
import {
  allowsLess,
  describeModes,
  type InTreeSeen,
  lowest,
  type Source,
  type StoredModes,
  sources,
  withInTree,
} from '../model/ownership.ts';
import { fanOutKey, openFanOut } from '../state/fanOutRows.ts';
import { type ModesRow, readModes, writeModes } from '../state/modeRows.ts';
import type { State } from '../state/state.ts';
import { continueListed, openListed } from './listedWalk.ts';
import { requestSwitch, showPlans } from './modePlans.ts';
import { continueReports, openReports } from './reportWalk.ts';
import type { StepDependencies } from './step.ts';

/**
 * Called wherever a change of modes may be noticed first; usually there is nothing to do. `mayPlan`: this step has time to read the
 * rows of the whole cluster, as a plan requires.
 */
export async function switchModes(
  deps: StepDependencies,
  state: State,
  { mayPlan, inTree }: { readonly mayPlan: boolean; readonly inTree?: InTreeSeen | undefined },
): Promise<void> {
  const before = await noteInTree(deps, state, inTree);
  if (before === 'Lost') return;
  const now = deps.clock.now();
  const next = switchingOf({ configured: deps.modesOf(state.cluster), stored: before.modes, mayPlan, now });
  if (!next) return before.modes.isOwed ? fanOut(deps, state, before, sources) : undefined;
  if ((await showPlans(deps, state, next.begun)) === 'Counting') return;
  const isOwed = next.changed.length > 0 || before.modes.isOwed === true;
  const stored = await writeModes(state, before, { ...next.modes, ...(isOwed ? { isOwed } : {}) });
  // Another step stored the modes first; the next heartbeat checks again.
  if (stored === 'Lost') return;
  if (next.modes.applied && next.changed.length > 0)
    deps.log.info('modes applied', { cluster: state.cluster, modes: describeModes(next.modes.applied) });
  if (isOwed) await fanOut(deps, state, stored, before.modes.isOwed ? sources : next.raised);
}

/** For the sweep, which has no time for a switch itself. */
export async function requestDueSwitch(deps: StepDependencies, state: State): Promise<void> {
  const { modes: stored } = await readModes(state);
  const by = { configured: deps.modesOf(state.cluster), stored, mayPlan: true, now: deps.clock.now() };
  if (stored.isOwed || switchingOf(by)) await requestSwitch(deps, state);
}

/** A separate write, so that every step allows less as soon as it reads the modes. */
async function noteInTree(deps: StepDependencies, state: State, seen?: InTreeSeen): Promise<ModesRow | 'Lost'> {
  const before = await readModes(state);
  const modes = withInTree(before.modes, seen);
  if (modes === before.modes) return before;
  const configured = deps.modesOf(state.cluster);
  const says = configured.ignoresInTree
    ? 'the in-tree controller is active; Sluice evicts for native taints too, as configured'
    : 'the in-tree controller is active: Sluice only watches native taints, until `sluice mode set native own`';
  deps.log.warn(says, { cluster: state.cluster, evidence: seen?.evidence });
  // Projected rules depend on whether the in-tree controller is active, in every mode.
  return writeModes(state, before, { ...modes, isOwed: true });
}

/**
 * Call before pods are kept or cancelled under a configuration that allows less than the stored modes: if that configuration is
 * reverted before the next heartbeat, the work that it left undone must be found. The next heartbeat does the fan-out.
 */
export async function lowerModes(deps: StepDependencies, state: State, known: StoredModes = {}): Promise<void> {
  const configured = deps.modesOf(state.cluster);
  if (!allowsLess(configured, known)) return;
  const before = await readModes(state);
  if (!allowsLess(configured, before.modes)) return;
  const { rising: _, ...rest } = before.modes;
  const applied = lowest(configured, before.modes.applied);
  const written = await writeModes(state, before, { ...rest, applied, isOwed: true });
  if (written === 'Lost') await lowerModes(deps, state, known);
}

/** Listed pods first, since they must be cancelled within a second; then, if more is allowed, every pod that uses a device. */
async function fanOut(
  deps: StepDependencies,
  state: State,
  stored: ModesRow,
  raised: readonly Source[],
): Promise<void> {
  const { cluster } = state;
  await openListed(deps, state);
  await continueListed(deps, state);
  if (raised.length > 0) {
    // The ingest stage runs the fan-out for every caller; if the message is lost, the sweep sends another.
    await openFanOut(state, { cause: 'modes#', epoch: String(stored.ver), reaches: [{}] }, deps.clock.now());
    await deps.queues.sendDue([{ stage: 'ingest', cluster, rows: [fanOutKey(state, 'modes#')] }]);
  }
  // This includes native rules that another controller owns; the report stage skips them.
  const reports = { name: 'reports|modes', of: { kind: 'Every' } } as const;
  await openReports(deps, state, reports);
  const { isOwed: _, ...settled } = stored.modes;
  await writeModes(state, stored, settled);
  await continueReports(deps, state, reports.name);
}
