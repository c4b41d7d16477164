// Who would go because of one source of taints, were it to evict again: what people read before it does.
import { allOwned, type ModePlan, type Source } from '../model/ownership.ts';
import { compareText, type Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { describeOrigin } from '../model/verdict.ts';
import { evaluatePod, isCounted } from './evaluate.ts';
import { partIn } from './ownership.ts';

/** A row holds 400 KB (DynamoDB), and a longer list is of no use to a reader. */
const originsKept = 50;

export interface ModeTally {
  readonly pods: number;
  readonly namespaces: ReadonlySet<string>;
  readonly byOrigin: ReadonlyMap<string, number>;
}

export const nothingTallied: ModeTally = { pods: 0, namespaces: new Set(), byOrigin: new Map() };

/** With some more pods. */
export function tallyMode(
  before: ModeTally,
  { source, snapshot }: { readonly source: Source; readonly snapshot: Snapshot },
): ModeTally {
  // Stryker disable next-line StringLiteral: whatever is not own is left out
  const part = partIn('own', snapshot, { ...allOwned, [source === 'native' ? 'paced' : 'native']: 'off' });
  const namespaces = new Set(before.namespaces);
  const byOrigin = new Map(before.byOrigin);
  let { pods } = before;
  for (const pod of snapshot.pods.filter(isCounted)) {
    const verdict = evaluatePod(pod, part);
    if (verdict.kind !== 'EvictAt') continue;
    pods++;
    namespaces.add(pod.namespace);
    for (const origin of new Set(verdict.because.map((reason) => describeOrigin(reason.origin))))
      byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + 1);
  }
  return { pods, namespaces, byOrigin };
}

export function modePlanOf({ pods, namespaces, byOrigin }: ModeTally, now: Instant): ModePlan {
  const origins = [...byOrigin]
    .map(([origin, count]) => ({ origin, pods: count }))
    .sort((a, b) => b.pods - a.pods || compareText(a.origin, b.origin))
    .slice(0, originsKept);
  return { at: now, pods, namespaces: namespaces.size, origins };
}

/** `3 pods in 2 namespaces: DeviceTaintRule a 2, ResourceSlice b 1`, for people. */
export function describeModePlan({ pods, namespaces, origins }: ModePlan): string {
  const counts = `${pods} pod${pods === 1 ? '' : 's'} in ${namespaces} namespace${namespaces === 1 ? '' : 's'}`;
  const list = origins.map((one) => `${one.origin} ${one.pods}`).join(', ');
  return list === '' ? counts : `${counts}: ${list}`;
}
