// Shadow mode for one pod: the decision to store, and the result of comparing it with what happened.
import { evaluatePod } from '../decide/evaluate.ts';
import { partIn } from '../decide/ownership.ts';
import { compareShadow } from '../decide/shadow.ts';
import { effectiveModes } from '../model/ownership.ts';
import type { ShadowDecision } from '../model/shadow.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { type PodRow, podRefOf } from '../state/podRows.ts';
import { differenceWrite } from '../state/shadowRows.ts';
import type { State } from '../state/state.ts';
import type { Write } from '../table.ts';
import type { StepDependencies } from './step.ts';

export interface Shadowed {
  readonly decision: ShadowDecision | undefined;
  /** Must be in the transaction that writes the decision. */
  readonly writes: readonly Write[];
  readonly metric?: 'ShadowDifferences' | 'ShadowAgreements';
}

/** `undefined` where no source is in shadow mode and the row holds no shadow decision. */
export function shadowPod(
  deps: Pick<StepDependencies, 'modesOf'>,
  state: State,
  { row, snapshot, now }: { readonly row: PodRow; readonly snapshot: Snapshot; readonly now: Instant },
): Shadowed | undefined {
  const modes = effectiveModes(deps.modesOf(state.cluster), snapshot.modes);
  const watches = modes.native === 'shadow' || modes.paced === 'shadow';
  if (!watches) return row.shadow ? { decision: undefined, writes: [] } : undefined;
  const { decision, found } = compareShadow({
    pod: row.object,
    gone: row.gone,
    verdict: evaluatePod(row.object, partIn('shadow', snapshot, modes)),
    before: row.shadow,
    isOwnDelete: row.ledger?.podUid === row.uid && (row.ledger.state === 'Evicted' || row.ledger.state === 'Deleting'),
    watchesInTree: modes.native === 'shadow',
    now,
  });
  if (found === undefined) return { decision, writes: [] };
  if (found === 'Agreed') return { decision, writes: [], metric: 'ShadowAgreements' };
  const { nodeName } = row.object;
  const difference = {
    kind: found,
    pod: podRefOf(row),
    ...(nodeName === undefined ? {} : { node: nodeName }),
    foundAt: now,
    ...(decision?.at === undefined ? {} : { at: decision.at }),
    because: decision?.because ?? [],
  };
  return { decision, writes: [differenceWrite(state, difference)], metric: 'ShadowDifferences' };
}
