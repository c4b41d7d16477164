// Whether and until when a claim's tolerations prevent eviction by a taint.
import type { DeviceTaint, DeviceToleration } from '../model/objects.ts';
import type { Settings } from '../model/snapshot.ts';
import { type Instant, plusSeconds } from '../model/time.ts';

/**
 * The base match that scheduler and eviction share (docs/reference/rules.md 2.1):
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
  /** The end is unknown: the taint has no time, or tolerationSeconds is not a number. */
  | { readonly kind: 'Unknown'; readonly why: string };

/**
 * Until when a NoExecute taint is tolerated (docs/reference/rules.md 2.3). A matching toleration without tolerationSeconds lasts forever
 * and wins; else the SMALLEST tolerationSeconds count from timeAdded; without a match the taint acts from timeAdded on.
 */
export function toleratedUntil(
  taint: DeviceTaint,
  tolerations: readonly DeviceToleration[],
  settings: Pick<Settings, 'emptyEffectTolerates'>,
): Toleration {
  let seconds: number | undefined;
  for (const toleration of tolerations) {
    if (!holdsOffEviction(toleration, settings) || !tolerates(toleration, taint)) continue;
    if (toleration.tolerationSeconds === undefined) return { kind: 'Forever' };
    // DynamoDB stores NaN as null, which arithmetic would treat as 0.
    const own = typeof toleration.tolerationSeconds === 'number' ? toleration.tolerationSeconds : Number.NaN;
    seconds = Math.min(seconds ?? own, own);
  }
  if (typeof taint.timeAdded !== 'number') return { kind: 'Unknown', why: `taint ${taint.key} has no timeAdded` };
  const at = plusSeconds(taint.timeAdded, seconds ?? 0);
  return Number.isNaN(at) ? { kind: 'Unknown', why: `taint ${taint.key} has no valid time` } : { kind: 'Until', at };
}

/** Upstream's eviction counts only tolerations whose effect is exactly NoExecute (docs/reference/rules.md 2.2). */
function holdsOffEviction(toleration: DeviceToleration, settings: Pick<Settings, 'emptyEffectTolerates'>): boolean {
  return toleration.effect === 'NoExecute' || (settings.emptyEffectTolerates && !toleration.effect);
}
