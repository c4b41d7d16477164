// What Sluice may act on in a cluster now: by configuration, by the modes that operators set, and by the in-tree controller.
import { partIn } from '../decide/ownership.ts';
import type { ClusterId } from '../model/identity.ts';
import { effectiveModes, type Modes } from '../model/ownership.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { readModes } from '../state/modeRows.ts';
import type { State } from '../state/state.ts';
import type { StepDependencies } from './step.ts';

type Configured = Pick<StepDependencies, 'modesOf'>;

/** Only taints that Sluice owns are in it, so that only one controller evicts for a taint. */
export function ownedSnapshot(deps: Configured, cluster: ClusterId, snapshot: Snapshot): Snapshot {
  return partIn('own', snapshot, effectiveModes(deps.modesOf(cluster), snapshot.modes));
}

export async function modesNow(deps: Configured, state: State): Promise<Modes> {
  return effectiveModes(deps.modesOf(state.cluster), (await readModes(state)).modes);
}

export function ownsAnything({ native, paced }: Modes): boolean {
  return native === 'own' || paced === 'own';
}
