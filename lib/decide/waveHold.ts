// Whether a wave keeps its taints from evicting, or there is an approval of it.
import { approveAnnotation } from '../model/hold.ts';
import type { DeviceId } from '../model/identity.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Wave, WaveOffer } from '../model/wave.ts';
import type { Published } from './deviceMatch.ts';
import { isInside } from './waveScope.ts';

/** A digest is good for a tenth more devices than it was shown for. */
export function isGoodFor(offer: WaveOffer, devices: number): boolean {
  return devices * 10 <= offer.devices * 11;
}

/** Digests that were approved; several are parted by commas or blanks. */
export function approvedDigests({ annotations = {} }: Pick<EvictionPolicy, 'annotations'>): readonly string[] {
  return (annotations[approveAnnotation] ?? '').split(/[\s,]/).filter(Boolean);
}

/** Whether a policy keeps the taints of a wave from evicting: it still watches, and there is no approval of as many devices. */
export function isHeldWave(wave: Wave, policy: EvictionPolicy | undefined): boolean {
  if (!policy?.observer || policy.name !== wave.policy) return false;
  const approved = approvedDigests(policy);
  return !wave.offers.some((offer) => approved.includes(offer.digest) && isGoodFor(offer, wave.devices));
}

/** The wave that keeps a taint from evicting. A device of which it is unknown whether it is of the class is held with it. */
export function waveOver(
  { device, key, policy }: { readonly device: DeviceId; readonly key: string; readonly policy: EvictionPolicy },
  around: Published & Pick<Snapshot, 'waves'>,
): Wave | undefined {
  return around.waves?.find(
    (wave) => wave.key === key && isHeldWave(wave, policy) && isInside(wave.scope, device, around) !== false,
  );
}
