// The grounds of an eviction besides its reasons, at that moment: rate, policy, devices.
import type { LimiterId, Rate } from '../model/eviction.ts';
import { approveAnnotation } from '../model/hold.ts';
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { Device, SpecAuthor } from '../model/objects.ts';
import { type RuleRef, ruleLimiter, ruleRef } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { Reason } from '../model/verdict.ts';
import { policyOf, rateOf } from './rate.ts';

export interface Grounds {
  /** Rate of the limiter whose token is used. */
  readonly rate: Rate;
  /** Name of the EvictionPolicy of its taint; absent if there was none. */
  readonly policy?: string;
  /** The annotations of the approval of its rule, or of the policy of a taint in slices; absent if there was none. */
  readonly approval?: Readonly<Record<string, string>>;
  /** Last writer of the spec of each rule and slice (`<kind>/<name>`) among the reasons; omitted if unknown. */
  readonly authors?: readonly { readonly rule: RuleRef; readonly by: SpecAuthor }[];
  /** Devices of the reasons as published at that moment; omitted if the slice is unknown or the device has no attributes. */
  readonly devices: readonly (DeviceId & { readonly attributes: NonNullable<Device['attributes']> })[];
}

/** Characters of an annotation; its API has no limit but that of all annotations of an object together. */
const annotationKept = 1000;

/** Bounds the record far below DynamoDB's 400 KB item limit, however many devices a pod uses. */
const devicesKept = 8;

export function groundsOf(by: {
  readonly limiter: LimiterId;
  readonly because: readonly Reason[];
  readonly snapshot: Snapshot;
  readonly now: Instant;
}): Grounds {
  const { limiter, because, snapshot, now } = by;
  const policy = policyOf(limiter, snapshot);
  // A taint in slices has no rule, and is approved on its policy.
  const approved = snapshot.rules.find((rule) => ruleLimiter(rule) === limiter) ?? policy;
  const approval = Object.entries(approved?.annotations ?? {})
    .filter(([key]) => key.startsWith(approveAnnotation))
    .map(([key, value]) => [key, value.slice(0, annotationKept)] as const);
  const ids = new Map(because.map(({ device }) => [deviceKey(device), device]));
  const devices = [...ids.values()].slice(0, devicesKept).flatMap((id) => {
    const published = snapshot.pools.get(poolKey(id.driver, id.pool))?.published.get(id.device);
    // Stryker disable next-line ConditionalExpression,StringLiteral: a string has no attributes either
    const attributes = published === 'Twice' ? undefined : published?.attributes;
    return attributes ? [{ ...id, attributes }] : [];
  });
  const authors = authorsOf(because, snapshot);
  return {
    rate: rateOf(limiter, snapshot, now),
    devices,
    authors,
    ...(policy ? { policy: policy.name } : {}),
    ...(approval.length > 0 ? { approval: Object.fromEntries(approval) } : {}),
  };
}

function authorsOf(because: readonly Reason[], snapshot: Snapshot): NonNullable<Grounds['authors']> {
  const authors = new Map<RuleRef, SpecAuthor>();
  for (const reason of because) {
    const { ref, author } = authorOf(reason, snapshot);
    if (author) authors.set(ref, author);
  }
  return [...authors].map(([rule, by]) => ({ rule, by }));
}

function authorOf(
  { origin, device }: Reason,
  { rules, pools, agentTaints }: Snapshot,
): { readonly ref: RuleRef; readonly author: SpecAuthor | undefined } {
  const { name } = origin;
  if (origin.kind === 'Rule') {
    const ref = ruleRef({ kind: origin.ruleKind ?? 'DeviceTaintRule', name });
    return { ref, author: rules.find((rule) => ruleRef(rule) === ref)?.author };
  }
  const taints = origin.sliceKind
    ? agentTaints?.get(deviceKey(device))
    : pools.get(poolKey(device.driver, device.pool))?.devices.get(device.device);
  const author = taints?.find(({ slice }) => slice === name)?.author;
  return { ref: `${origin.sliceKind ?? 'ResourceSlice'}/${name}`, author };
}
