// Which pods would be evicted if one source of taints were switched to `own`; shown before the switch.
import { allOwned, type ModePlan, type Source } from '../model/ownership.ts';
import { compareText, type Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { describeOrigin } from '../model/verdict.ts';
import { evaluatePod, isCounted } from './evaluate.ts';
import { partIn } from './ownership.ts';

/** DynamoDB items hold 400 KB, and a longer list does not help the reader. */
const originsKept = 50;

/** Origins whose pods are counted separately. Only a plan with more origins can wrongly omit one with few pods. */
const originsCounted = 6 * originsKept;

/** Kubernetes' tested maximum (sig-scalability thresholds). */
const namespacesCounted = 10_000;

/** Stored in a row between two invocations, so its size is bounded. */
export interface ModeTally {
  readonly pods: number;
  /** Hashes of the namespaces' names. */
  readonly namespaces: ReadonlySet<number>;
  readonly byOrigin: ReadonlyMap<string, number>;
}

export const nothingTallied: ModeTally = { pods: 0, namespaces: new Set(), byOrigin: new Map() };

/** Adds the pods of a snapshot. */
export function tallyMode(
  before: ModeTally,
  by: { readonly source: Source; readonly snapshot: Snapshot; readonly hash: (namespace: string) => number },
): ModeTally {
  const { source, snapshot } = by;
  // Stryker disable next-line StringLiteral: every mode other than own is left out
  const part = partIn('own', snapshot, { ...allOwned, [source === 'native' ? 'paced' : 'native']: 'off' });
  const namespaces = new Set(before.namespaces);
  const byOrigin = new Map(before.byOrigin);
  let { pods } = before;
  for (const pod of snapshot.pods.filter(isCounted)) {
    const verdict = evaluatePod(pod, part);
    if (verdict.kind !== 'EvictAt') continue;
    pods++;
    if (namespaces.size < namespacesCounted) namespaces.add(by.hash(pod.namespace));
    for (const origin of new Set(verdict.because.map((reason) => describeOrigin(reason.origin))))
      byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + 1);
  }
  return { pods, namespaces, byOrigin: new Map(mostFirst(byOrigin).slice(0, originsCounted)) };
}

function mostFirst(byOrigin: ModeTally['byOrigin']): readonly (readonly [string, number])[] {
  return [...byOrigin].toSorted(([a, x], [b, y]) => y - x || compareText(a, b));
}

export function modePlanOf({ pods, namespaces, byOrigin }: ModeTally, now: Instant): ModePlan {
  const first = mostFirst(byOrigin).slice(0, originsKept);
  const origins = first.map(([origin, count]) => ({ origin, pods: count }));
  return { at: now, pods, namespaces: namespaces.size, origins };
}

/** In words: `3 pods in 2 namespaces: DeviceTaintRule a 2, ResourceSlice b 1`. */
export function describeModePlan({ pods, namespaces, origins }: ModePlan): string {
  const counts = `${pods} pod${pods === 1 ? '' : 's'} in ${namespaces} namespace${namespaces === 1 ? '' : 's'}`;
  const list = origins.map((one) => `${one.origin} ${one.pods}`).join(', ');
  return list === '' ? counts : `${counts}: ${list}`;
}
