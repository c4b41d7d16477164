// The part of a snapshot that concerns some sources of taints alone.
import type { Hold } from '../model/hold.ts';
import { type Mode, type Modes, type Source, sourceOfKind } from '../model/ownership.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Rules are found by an index that is kept for their list, so the same list has to give the same part of it. */
function rulesOf(source: Source, { rules, recall }: Snapshot): readonly TaintRule[] {
  return recall(`rules ${source}`, rules, () => rules.filter(({ kind }) => sourceOfKind(kind) === source));
}

const nothing: Pick<Snapshot, 'rules' | 'nativeSlices' | 'agentTaints'> = {
  rules: [],
  nativeSlices: 'Watched',
  agentTaints: new Map(),
};

/** What the sources in this mode say, as if there were no others. */
export function partIn(mode: Mode, snapshot: Snapshot, modes: Modes): Snapshot {
  const [native, paced] = [modes.native === mode, modes.paced === mode];
  if (native && paced) return snapshot;
  if (native) return { ...snapshot, rules: rulesOf('native', snapshot), agentTaints: new Map() };
  if (paced) return { ...snapshot, rules: rulesOf('paced', snapshot), nativeSlices: 'Watched' };
  return { ...snapshot, ...nothing };
}

/** What a rule or slice of Sluice's own kinds says of itself while no pod is evicted because of it. */
export function unowned(mode: Exclude<Mode, 'own'>): Hold & { readonly reason: 'SluiceOff' | 'SluiceShadow' } {
  return mode === 'off'
    ? {
        reason: 'SluiceOff',
        message:
          'Sluice is switched off for PacedTaintRules and DeviceTaintSlices in this cluster: no pod is evicted because of this.',
      }
    : {
        reason: 'SluiceShadow',
        message:
          'Sluice only decides and compares for PacedTaintRules and DeviceTaintSlices in this cluster: no pod is evicted because of this.',
      };
}
