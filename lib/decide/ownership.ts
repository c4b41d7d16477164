// The part of a snapshot that belongs to some sources of taints.
import type { Hold } from '../model/hold.ts';
import { type Mode, type Modes, type Source, sourceOfKind } from '../model/ownership.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** The rule index is cached per list, so the same list must always give the same filtered list. */
function rulesOf(source: Source, { rules, recall }: Snapshot): readonly TaintRule[] {
  return recall(`rules ${source}`, rules, () => rules.filter(({ kind }) => sourceOfKind(kind) === source));
}

const nothing: Pick<Snapshot, 'rules' | 'nativeSlices' | 'agentTaints'> = {
  rules: [],
  nativeSlices: 'Watched',
  agentTaints: new Map(),
};

/** The snapshot with only the sources in this mode. */
export function partIn(mode: Mode, snapshot: Snapshot, modes: Modes): Snapshot {
  const [native, paced] = [modes.native === mode, modes.paced === mode];
  if (native && paced) return snapshot;
  if (native) return { ...snapshot, rules: rulesOf('native', snapshot), agentTaints: new Map() };
  if (paced) return { ...snapshot, rules: rulesOf('paced', snapshot), nativeSlices: 'Watched' };
  return { ...snapshot, ...nothing };
}

/** The hold that a rule or slice of Sluice's own kinds shows while its source evicts no pod. */
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
