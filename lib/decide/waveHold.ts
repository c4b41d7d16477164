// Whether a wave holds its taints, or is approved.
import { approveAnnotation } from '../model/hold.ts';
import type { DeviceId } from '../model/identity.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Wave, WaveOffer } from '../model/wave.ts';
import type { Published } from './deviceMatch.ts';
import { isInside } from './waveScope.ts';

/** An approved digest covers up to 10 % more devices than it was offered for. */
export function isGoodFor(offer: WaveOffer, devices: number): boolean {
  return devices * 10 <= offer.devices * 11;
}

/** Approved digests; separated by commas or white space. */
export function approvedDigests({ annotations = {} }: Pick<EvictionPolicy, 'annotations'>): readonly string[] {
  return (annotations[approveAnnotation] ?? '').split(/[\s,]/).filter(Boolean);
}

/** Whether a policy holds the taints of a wave: the policy still watches them, and no approval covers as many devices. */
export function isHeldWave(wave: Wave, policy: EvictionPolicy | undefined): boolean {
  if (!policy?.observer || policy.name !== wave.policy) return false;
  const approved = approvedDigests(policy);
  return !wave.offers.some((offer) => approved.includes(offer.digest) && isGoodFor(offer, wave.devices));
}

/** The wave that holds a taint. A device is held too if it is unknown whether it belongs to the class. */
export function waveOver(
  { device, key, policy }: { readonly device: DeviceId; readonly key: string; readonly policy: EvictionPolicy },
  around: Published & Pick<Snapshot, 'waves'>,
): Wave | undefined {
  return around.waves?.find(
    (wave) => wave.key === key && isHeldWave(wave, policy) && isInside(wave.scope, device, around) !== false,
  );
}
