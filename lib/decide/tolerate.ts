// Whether and until when a claim's tolerations hold off a taint.
import type { DeviceTaint, DeviceToleration } from '../model/objects.ts';
import type { Settings } from '../model/snapshot.ts';
import { type Instant, plusSeconds } from '../model/time.ts';

/**
 * The base match that scheduler and eviction share (semantics.md 3.1):
 * - an effect, where set, is the taint's;
 * - a key, where set, is the taint's;
 * - operator Exists, or Equal (the default) with the same value; any other operator never matches.
 */
export function tolerates(toleration: DeviceToleration, taint: DeviceTaint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator || 'Equal') {
    case 'Exists':
      return true;
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    default:
      return false;
  }
}

export type Toleration =
  | { readonly kind: 'Forever' }
  | { readonly kind: 'Until'; readonly at: Instant }
  /** The taint says not when it was added, so nobody can say when its time is up. */
  | { readonly kind: 'NoTimeAdded' };

/**
 * Until when a NoExecute taint is tolerated (semantics.md 3.4): one matching toleration without seconds is for ever and wins;
 * else the SMALLEST seconds count, from timeAdded; without any match the taint acts from timeAdded on.
 */
export function toleratedUntil(
  taint: DeviceTaint,
  tolerations: readonly DeviceToleration[],
  settings: Pick<Settings, 'emptyEffectTolerates'>,
): Toleration {
  const matching = tolerations.filter((one) => holdsOffEviction(one, settings) && tolerates(one, taint));
  if (matching.some((one) => one.tolerationSeconds === undefined)) return { kind: 'Forever' };
  if (taint.timeAdded === undefined) return { kind: 'NoTimeAdded' };
  const seconds = matching.map((one) => Math.max(0, one.tolerationSeconds ?? 0));
  return { kind: 'Until', at: plusSeconds(taint.timeAdded, seconds.length === 0 ? 0 : Math.min(...seconds)) };
}

/** Upstream's eviction counts only tolerations whose effect is literally NoExecute (semantics.md 3.2). */
function holdsOffEviction(toleration: DeviceToleration, settings: Pick<Settings, 'emptyEffectTolerates'>): boolean {
  return toleration.effect === 'NoExecute' || (settings.emptyEffectTolerates && !toleration.effect);
}
