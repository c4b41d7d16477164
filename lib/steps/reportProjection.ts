// Keeps the native rules of a PacedTaintRule as they have to be, and says in its status whether the scheduler knows.

import { picksByState } from '../decide/deviceMatch.ts';
import { unowned } from '../decide/ownership.ts';
import { nonePicked, type PickedDevices, type Projection, pickedIn, projectionOf } from '../decide/projection.ts';
import type { Hold } from '../model/hold.ts';
import { type PacedTaintRule, ruleRef, type TaintRule } from '../model/rule.ts';
import type { ApiFailure } from '../ports.ts';
import { poolPages } from '../state/clusterPages.ts';
import { readModes } from '../state/modeRows.ts';
import { readRule } from '../state/ruleRows.ts';
import type { State } from '../state/state.ts';
import { checkWritten } from './checkWritten.ts';
import type { ClusterAccess, ClusterStepDependencies, ReportedRule } from './step.ts';

export const informedCondition = 'sluice.dev/SchedulerInformed';

interface Told {
  readonly status: 'True' | 'False';
  readonly reason: Hold['reason'] | 'Projected' | 'NothingToProject' | 'TooManyDevices' | 'NotServed' | 'Refused';
  readonly message: string;
}

/** Throws where the API server cannot be reached, so that the message comes back. */
export async function reportProjection(
  deps: ClusterStepDependencies,
  state: State,
  { rule, taints, conditions, access, modes }: ReportedRule,
): Promise<void> {
  if (rule.kind !== 'PacedTaintRule' || !deps.settings.projectRules) return;
  const told = await tell(deps, state, { rule, taints, access, modes });
  const previous = conditions.find((one) => one.type === informedCondition);
  if (!told || (!previous && told.reason === 'NothingToProject')) return;
  const isSame = previous?.status === told.status && previous.message === told.message;
  if (isSame && previous.observedGeneration === rule.generation) return;
  const since = previous?.status === told.status ? previous.lastTransitionTime : deps.clock.now();
  const condition = {
    type: informedCondition,
    ...told,
    observedGeneration: rule.generation,
    lastTransitionTime: since,
  };
  const written = await access.ruleStatus.apply(rule, [condition], 'projection');
  checkWritten(deps, state, { object: ruleRef(rule), written });
}

/** `undefined` while the table does not have this version of the rule yet. */
async function tell(
  deps: ClusterStepDependencies,
  state: State,
  {
    rule,
    taints,
    access,
    modes,
  }: Pick<ReportedRule, 'taints' | 'access' | 'modes'> & { readonly rule: PacedTaintRule },
): Promise<Told | undefined> {
  // Without the class of its new version a rule would seem to select nothing, and what was projected would go for a moment.
  if ((await readRule(state, ruleRef(rule)))?.object.generation !== rule.generation) return undefined;
  // Whoever goes on beside the in-tree controller must not hand it the pods of paced taints, too.
  const isShared = modes.native !== 'own' || (await readModes(state)).modes.inTree !== undefined;
  const effects = isShared ? 'NoSchedule' : 'Keep';
  // Sluice alone paces for the rule: while it does not, nothing of its making may keep pods away, or have others evict them.
  const mine = modes.paced === 'own' ? taints : [];
  const projection = projectionOf(mine, {
    picked: await pickedBy(deps, state, mine),
    effects,
    maxRules: deps.settings.projection.maxRules,
  });
  const wanted = projection.kind === 'Rules' ? projection.rules : [];
  const existing = await access.projections.list(rule.uid);
  switch (existing.kind) {
    case 'NotServed':
      return {
        status: 'False',
        reason: 'NotServed',
        message:
          'DeviceTaintRules are not served here: the scheduler may place new pods on these devices, and they are evicted again.',
      };
    case 'RetryLater':
      throw new Error(`native rules of ${rule.name}: ${existing.why}`);
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
  // New ones first: a device must not be without its taint in between.
  const done = [
    ...(await Promise.all(missing.map((one) => access.projections.create(one)))),
    ...(await Promise.all(surplus.map((name) => access.projections.remove(name)))),
  ];
  for (const one of done) {
    if (one.kind === 'RetryLater') throw new Error(`native rules of ${rule.name}: ${one.why}`);
    if (one.kind === 'Refused') return refused(one);
  }
  return modes.paced === 'own' ? outcome(projection, effects) : { status: 'False', ...unowned(modes.paced) };
}

/** Only where more than names pick them. */
async function pickedBy(
  deps: ClusterStepDependencies,
  state: State,
  [rule]: readonly TaintRule[],
): Promise<PickedDevices> {
  const { maxRules } = deps.settings.projection;
  let picked = nonePicked;
  if (!rule?.deviceSelector || !picksByState(rule.deviceSelector)) return picked;
  for await (const snapshot of poolPages(state, deps.settings)) picked = pickedIn(picked, { rule, snapshot, maxRules });
  return picked;
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
  const remedy = 'Bind deploy/optional/projection-rbac.yaml, or set projectRules to false.';
  return { status: 'False', reason: 'Refused', message: `The scheduler cannot be told: ${why}. ${remedy}` };
}

/** After a rule's end; owner references do the same where the cluster collects garbage. */
export async function removeProjection(
  deps: ClusterStepDependencies,
  access: ClusterAccess,
  uid: string,
): Promise<void> {
  if (!deps.settings.projectRules) return;
  const existing = await access.projections.list(uid);
  if (existing.kind === 'RetryLater') throw new Error(`native rules of a deleted PacedTaintRule: ${existing.why}`);
  if (existing.kind !== 'Found') return;
  for (const name of existing.names) {
    const removed = await access.projections.remove(name);
    if (removed.kind === 'RetryLater') throw new Error(`native rule ${name}: ${removed.why}`);
  }
}
