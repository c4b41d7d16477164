// Texts about waves: where, how many of how many, since when, and the command that approves them.

import { approveAnnotation } from '../model/hold.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import type { EventToRecord } from '../model/status.ts';
import { formatInstant, type Instant } from '../model/time.ts';
import type { Wave } from '../model/wave.ts';
import type { Waiting } from './sliceApproval.ts';
import { approvedDigests, isHeldWave } from './waveHold.ts';

/** How many waves a message names. */
const wavesNamed = 5;

/** `9 of 10 devices of pool gpu.example.com/node-1 (90 %) are tainted example.com/ecc:NoExecute, which came within 12 s from … on`. */
export function describeWave({ scope, key, from, to, devices, total }: Wave): string {
  const where = scope.kind === 'Pool' ? `pool ${scope.driver}/${scope.pool}` : `DeviceClass ${scope.name}`;
  const share = Math.floor((devices * 100) / total);
  const span = Math.ceil((to - from) / 1000);
  const when = span === 0 ? `all at ${formatInstant(from)}` : `within ${span} s from ${formatInstant(from)} on`;
  return `${devices} of ${total} devices of ${where} (${share} %) are tainted ${key}:NoExecute, ${when}`;
}

/** Why taints that a policy watches do not evict; `undefined` if no wave holds them. */
export function wavesWaiting(policy: EvictionPolicy, waves: readonly Wave[]): Waiting | undefined {
  const held = waves.filter((wave) => isHeldWave(wave, policy));
  if (held.length === 0) return undefined;
  const named = held.slice(0, wavesNamed);
  const more = held.length > named.length ? `; and ${held.length - named.length} more` : '';
  return {
    reason: 'ObserverInDoubt',
    text: `${named.map(describeWave).join('; ')}${more}. So many at once may be a broken observer, so these taints evict no pod until they are gone or approved.`,
    digests: named.flatMap((wave) => digestOf(wave) ?? []),
  };
}

/** Approved digests that still belong to a wave; the command must keep them. */
export function keptByWaves(policy: EvictionPolicy, waves: readonly Wave[]): readonly string[] {
  const known = new Set(waves.flatMap(({ offers }) => offers.map(({ digest }) => digest)));
  return approvedDigests(policy).filter((digest) => known.has(digest));
}

/** The digest to approve now. */
function digestOf({ offers }: Wave): string | undefined {
  return offers.at(-1)?.digest;
}

/** One Event per offered digest. */
export function waveEvent(policy: EvictionPolicy, wave: Wave, at: Instant): EventToRecord | undefined {
  const digest = digestOf(wave);
  if (digest === undefined || !isHeldWave(wave, policy)) return undefined;
  const { name, uid } = policy;
  return {
    name: `${name.slice(0, 200)}.wave-${digest}`,
    regarding: { kind: 'EvictionPolicy', name, uid },
    type: 'Warning',
    reason: 'ObserverInDoubt',
    message: `${describeWave(wave)}: a broken observer? Their pods stay. To evict them, annotate the policy with ${approveAnnotation}=${digest}`,
    at,
  };
}
