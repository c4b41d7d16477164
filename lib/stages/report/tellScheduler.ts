// Creates and deletes the projected native rules of one object, and writes its SchedulerInformed condition.

import { unowned } from '../../decide/ownership.ts';
import { type PlacedTaint, type Projection, projectionOf } from '../../decide/projection.ts';
import type { Uid } from '../../model/identity.ts';
import type { Modes } from '../../model/ownership.ts';
import type { ReasonOf } from '../../model/reasons.ts';
import type { ProjectionSource } from '../../model/rule.ts';
import type { RuleCondition } from '../../model/status.ts';
import type { ApiFailure, StatusWritten } from '../../ports.ts';
import { readModes } from '../../state/modeRows.ts';
import { askForReport } from '../../state/reportRows.ts';
import type { State } from '../../state/state.ts';
import type { ClusterAccess, ClusterStepDependencies } from '../../steps/step.ts';
import { checkWritten } from './checkWritten.ts';

export const informedCondition = 'sluice.dev/SchedulerInformed';

/** The sweep retries after a refusal, since granting RBAC rights changes no watched object. */
const refusedFor = 30_000;

interface Told {
  readonly status: 'True' | 'False';
  readonly reason: ReasonOf<typeof informedCondition>;
  readonly message: string;
}

export interface Telling {
  readonly access: ClusterAccess;
  readonly modes: Modes;
  readonly source: ProjectionSource & { readonly generation: number };
  /** The name under which its report is requested. */
  readonly ref: string;
  /** Called only while Sluice owns the object's taints. */
  readonly taints: () => Promise<readonly PlacedTaint[]>;
  /** The conditions in the object's status. */
  readonly conditions: readonly RuleCondition[];
  readonly write: (condition: RuleCondition) => Promise<StatusWritten>;
}

/** Throws where the API server cannot be reached, so that SQS redelivers the message. */
export async function tellScheduler(deps: ClusterStepDependencies, state: State, by: Telling): Promise<void> {
  const { source, ref, conditions } = by;
  const told = await tell(deps, state, by);
  const now = deps.clock.now();
  if (told.reason === 'Refused') await askForReport(state, ref, { at: now + refusedFor, now });
  const previous = conditions.find((one) => one.type === informedCondition);
  if (!previous && told.reason === 'NothingToProject') return;
  const isSame = previous?.status === told.status && previous.message === told.message;
  if (isSame && previous.observedGeneration === source.generation) return;
  const lastTransitionTime = previous?.status === told.status ? previous.lastTransitionTime : now;
  const condition = { type: informedCondition, ...told, observedGeneration: source.generation, lastTransitionTime };
  checkWritten(deps, state, { object: ref, written: await by.write(condition) });
}

async function tell(
  deps: ClusterStepDependencies,
  state: State,
  { source, access, modes, taints }: Telling,
): Promise<Told> {
  // Beside an active in-tree controller, a projected NoExecute would let it evict the pods of paced taints.
  const isShared = modes.native !== 'own' || (await readModes(state)).modes.inTree !== undefined;
  const effects = isShared ? 'NoSchedule' : 'Keep';
  // Only Sluice acts on these taints: while it does not own them, no projected rule may keep pods away or have others evict them.
  const placed = modes.paced === 'own' ? await taints() : [];
  const projection = projectionOf(source, placed, { effects, maxRules: deps.settings.projection.maxRules });
  const wanted = projection.kind === 'Rules' ? projection.rules : [];
  const existing = await access.projections.list(source.uid);
  switch (existing.kind) {
    case 'NotServed':
      return {
        status: 'False',
        reason: 'NotServed',
        message:
          'DeviceTaintRules are not served here: the scheduler may place new pods on these devices, and they are evicted again.',
      };
    case 'RetryLater':
      throw new Error(`native rules of ${source.name}: ${existing.why}`);
    case 'Refused':
      return refused(existing);
    case 'Found':
      break;
    default:
      return existing satisfies never;
  }
  const names = new Set(wanted.map(({ name }) => name));
  const missing = wanted.filter(({ name }) => !existing.names.includes(name));
  const surplus = existing.names.filter((name) => !names.has(name));
  // Create new rules first, so that no device is without its taint in between.
  const done = [
    ...(await Promise.all(missing.map((one) => access.projections.create(one)))),
    ...(await Promise.all(surplus.map((name) => access.projections.remove(name)))),
  ];
  for (const one of done) {
    if (one.kind === 'RetryLater') throw new Error(`native rules of ${source.name}: ${one.why}`);
    if (one.kind === 'Refused') return refused(one);
  }
  return modes.paced === 'own' ? outcome(projection, effects) : { status: 'False', ...unowned(modes.paced) };
}

function outcome(projection: Projection, effects: 'Keep' | 'NoSchedule'): Told {
  if (projection.kind === 'TooMany') {
    const message = `${projection.count} native rules would be needed, more than ${projection.maxRules}: select by driver, pool or device to have the scheduler keep new pods away.`;
    return { status: 'False', reason: 'TooManyDevices', message };
  }
  const count = projection.rules.length;
  if (count === 0)
    return {
      status: 'True',
      reason: 'NothingToProject',
      message: 'No device is selected that new pods would have to stay away from.',
    };
  const rules = `${count} native rule${count === 1 ? ' keeps' : 's keep'} new pods away`;
  const weaker =
    ', with effect NoSchedule because the in-tree controller is active: NoExecute tolerations do not help new pods';
  return { status: 'True', reason: 'Projected', message: `${rules}${effects === 'Keep' ? '' : weaker}.` };
}

function refused({ why }: ApiFailure): Told {
  const remedy =
    'Set the value rbac.projection=true of the chart, or `settings.projectRules: false` in sluice.yaml; it is tried again every minute.';
  return { status: 'False', reason: 'Refused', message: `Native rules cannot be written: ${why}. ${remedy}` };
}

/** After the object is deleted; where garbage collection runs, owner references do the same. */
export async function removeProjection(deps: ClusterStepDependencies, access: ClusterAccess, uid: Uid): Promise<void> {
  if (!deps.settings.projectRules) return;
  const existing = await access.projections.list(uid);
  if (existing.kind === 'RetryLater') throw new Error(`native rules of a deleted object: ${existing.why}`);
  if (existing.kind !== 'Found') return;
  for (const name of existing.names) {
    const removed = await access.projections.remove(name);
    if (removed.kind === 'RetryLater') throw new Error(`native rule ${name}: ${removed.why}`);
  }
}
