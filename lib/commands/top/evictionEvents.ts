// Reads evictions from Events of a cluster: the pod, the time, and the taint and device of each reason; pure.
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { componentName } from '../../contract.ts';
import { evictionEventReason } from '../../decide/eventText.ts';
import { ruleLimiter, type TaintRule } from '../../model/rule.ts';
import { parseInstant } from '../../model/time.ts';
import { originKey, type Reason, type TaintOrigin } from '../../model/verdict.ts';
import type { RecentEviction } from '../../state/recentRows.ts';

/** Format of `describeReason`; pool names may contain slashes, device names contain no dots. */
const reasonPattern =
  /(DeviceTaintRule|PacedTaintRule|ResourceSlice|DeviceTaintSlice) (\S+): taint ([^\s=:]+)(?:=([^\s:]*))?:(\w+)(?: \("(.*?)"\))? on device ([^\s/]+)\/(\S+)\/([a-z0-9-]+)/g;

/** Absent if the Event is not about an eviction by Sluice. */
export function evictionOf(event: Json, rules: readonly TaintRule[]): RecentEviction | undefined {
  const message = textOf(event.message) ?? '';
  const isOurs = event.reason === evictionEventReason && event.reportingComponent === componentName;
  const at = parseInstant(textOf(event.lastTimestamp) ?? textOf(event.eventTime));
  if (!isOurs || at === undefined || !message.startsWith('Marking for deletion')) return undefined;
  const { namespace, name, uid } = objectOf(event.involvedObject);
  const pod = { namespace: textOf(namespace) ?? '', name: textOf(name) ?? '', uid: textOf(uid) ?? '' };
  const because = [...message.matchAll(reasonPattern)].map((found) => reasonOf(found, { rules, at, pod }));
  const [first] = because;
  return { pod, at, outcome: 'Evicted', because, ...(first ? { limiter: originKey(first) } : {}) };
}

function reasonOf(
  [
    ,
    kind = '',
    name = '',
    key = '',
    value = '',
    effect = '',
    description,
    driver = '',
    pool = '',
    device = '',
  ]: readonly (string | undefined)[],
  by: { readonly rules: readonly TaintRule[]; readonly at: number; readonly pod: { readonly namespace: string } },
): Reason {
  const rule = by.rules.find(
    (one) => one.kind === kind && one.name === name && one.taint.key === key && one.taint.effect === effect,
  );
  const { uid = '', generation = 0 } = rule ?? {};
  return {
    origin: originOf({ kind, name, uid, generation }),
    taint: { key, value, effect, ...(description === undefined ? {} : { description }) },
    device: { driver, pool, device },
    // Events do not name the claim.
    claim: { namespace: by.pod.namespace, name: '' },
    at: by.at,
  };
}

function originOf(by: {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
}): TaintOrigin {
  const { kind, name, uid, generation } = by;
  if (kind === 'PacedTaintRule') return { kind: 'Rule', ruleKind: kind, name, uid, generation };
  if (kind === 'DeviceTaintRule') return { kind: 'Rule', name, uid, generation };
  return { kind: 'Slice', ...(kind === 'DeviceTaintSlice' ? { sliceKind: kind } : {}), name, index: 0 };
}

/** False for evictions before the rule's current taint was added, such as by a deleted rule of that name; else true. */
export function isOfToday({ at, limiter }: RecentEviction, rules: readonly TaintRule[]): boolean {
  const rule = rules.find((one) => ruleLimiter(one) === limiter);
  return at >= (rule?.taint.timeAdded ?? 0);
}
