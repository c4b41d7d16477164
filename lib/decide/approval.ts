// Rules that reach every device wait until a person has approved of their plan, by a digest of exactly that plan.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Uid } from '../model/identity.ts';
import type { TaintRule } from '../model/rule.ts';
import type { Settings } from '../model/snapshot.ts';
import type { Hold } from './hold.ts';

export const approveAnnotation = 'sluice.dev/approve';

/** Hex digits of a digest; enough that nobody hits another plan's by accident. */
const digits = 12;

/** A plan that was shown to people: how many pods its rule matched then, evicted ones included. */
export interface Offer {
  readonly digest: string;
  readonly generation: number;
  readonly pods: number;
}

/** `{}`, or `all: true` in a PacedTaintRule, is the one selector that nobody writes to mean a few devices. */
export function needsApproval({ deviceSelector, taint }: TaintRule, settings: Settings): boolean {
  if (!settings.holdEmptySelector || taint.effect !== 'NoExecute' || !deviceSelector) return false;
  const { all: _, ...criteria } = deviceSelector;
  return Object.values(criteria).every((one) => one === undefined || (Array.isArray(one) && one.length === 0));
}

/** SHA-256 over rule UID, generation and the UIDs of the pods in the plan, whatever their order. */
export function digestOf(rule: Pick<TaintRule, 'uid' | 'generation'>, pods: readonly Uid[]): string {
  const text = [rule.uid, String(rule.generation), ...pods.toSorted()].join('\n');
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, digits);
}

/** An approval covers a tenth more pods than were planned, of the generation that was planned. */
export function covers(offer: Offer | undefined, rule: Pick<TaintRule, 'generation'>, matched: number): boolean {
  return offer?.generation === rule.generation && matched * 10 <= offer.pods * 11;
}

export interface Matched {
  /** Still to be evicted. */
  readonly waiting: number;
  readonly namespaces: number;
  readonly evicted: number;
}

/** What the rule's condition says while nobody has approved of the plan with that digest. */
export function awaitingApproval(
  rule: Pick<TaintRule, 'kind' | 'name'>,
  by: { matched: Matched; digest: string; approved: Offer | undefined },
): Hold {
  const { waiting, namespaces, evicted } = by.matched;
  const reach = `${rule.kind === 'PacedTaintRule' ? 'A selector of all devices' : 'An empty selector'} reaches every device: ${waiting} pods in ${namespaces} namespaces would be evicted.`;
  const grown = by.approved ? ` Approved were ${by.approved.pods} pods, ${waiting + evicted} match now.` : '';
  const how = ` To let them go: kubectl annotate --overwrite ${rule.kind.toLowerCase()} ${rule.name} ${approveAnnotation}=${by.digest}`;
  return { reason: by.approved ? 'PlanGrew' : 'AwaitingApproval', message: `${reach}${grown}${how}` };
}
