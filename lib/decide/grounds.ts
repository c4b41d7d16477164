// What an eviction rested on besides its reasons, as it was at that moment: the pace, the policy, the devices.
import type { LimiterId, Rate } from '../model/eviction.ts';
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { Device, SpecAuthor } from '../model/objects.ts';
import { type RuleRef, ruleRef } from '../model/rule.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import { type Reason, refOf } from '../model/verdict.ts';
import { policyOf, rateOf } from './rate.ts';

export interface Grounds {
  /** Of the limiter whose slot is used. */
  readonly rate: Rate;
  /** Name of the EvictionPolicy that was for its taint; absent where none was. */
  readonly policy?: string;
  /** Who had last written the spec of each rule among the reasons; one that does not say is left out. */
  readonly authors?: readonly { readonly rule: RuleRef; readonly by: SpecAuthor }[];
  /** Devices of the reasons as published then; one whose slice is unknown, or that has no attributes, is left out. */
  readonly devices: readonly (DeviceId & { readonly attributes: NonNullable<Device['attributes']> })[];
}

/** A record stays far below what a row may hold, however many devices a pod uses. */
const devicesKept = 8;

export function groundsOf(by: {
  readonly limiter: LimiterId;
  readonly because: readonly Reason[];
  readonly snapshot: Snapshot;
  readonly now: Instant;
}): Grounds {
  const { limiter, because, snapshot, now } = by;
  const policy = policyOf(limiter, snapshot)?.name;
  const ids = new Map(because.map(({ device }) => [deviceKey(device), device]));
  const devices = [...ids.values()].slice(0, devicesKept).flatMap((id) => {
    const published = snapshot.pools.get(poolKey(id.driver, id.pool))?.published.get(id.device);
    // Stryker disable next-line ConditionalExpression,StringLiteral: a text has no attributes either
    const attributes = published === 'Twice' ? undefined : published?.attributes;
    return attributes ? [{ ...id, attributes }] : [];
  });
  const authors = authorsOf(because, snapshot);
  return { rate: rateOf(limiter, snapshot, now), devices, authors, ...(policy === undefined ? {} : { policy }) };
}

function authorsOf(because: readonly Reason[], { rules }: Snapshot): NonNullable<Grounds['authors']> {
  const named = new Set(because.map(({ origin }) => refOf(origin)));
  const authors = new Map(
    rules.flatMap((rule) => {
      const ref = ruleRef(rule);
      return rule.author && named.has(ref) ? [[ref, rule.author] as const] : [];
    }),
  );
  return [...authors].map(([rule, by]) => ({ rule, by }));
}
