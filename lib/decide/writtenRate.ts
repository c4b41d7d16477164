// Rates and bursts as people and agents write them; what cannot be read evicts no pod, and is named.
import { defaultRate, type Rate } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';

const largest = 10_000;

/** One value, and where it is written. */
export interface Said {
  readonly where: string;
  readonly text: string;
}

export interface WrittenRate {
  readonly rate: Rate;
  /** Where the rate is written; absent where none is written. */
  readonly from?: string;
  /** The policy whose cap is lower than what was written. */
  readonly cappedBy?: string;
  /** What cannot be read, in sentences without an end; then no pod is evicted. */
  readonly problems: readonly string[];
}

/** A rate: 0 to 10000 with at most four decimals (`0.0167` is one a minute). A burst: a whole number from 0 to 10000. */
const forms = {
  rate: { form: /^\d{1,5}(\.\d{1,4})?$/, says: 'no number from 0 to 10000 with at most four decimals' },
  burst: { form: /^\d{1,5}$/, says: 'no whole number from 0 to 10000' },
} as const;

/** What the taint or the rule says counts before its policy, whose cap is above all; the default is 10 and 10. */
export function readRate(by: {
  readonly perSecond: Said | undefined;
  readonly burst: Said | undefined;
  readonly policy: EvictionPolicy | undefined;
}): WrittenRate {
  const { policy } = by;
  const wanted = by.perSecond ?? saidBy(policy, 'evictionsPerSecond');
  const cap = saidBy(policy, 'maxEvictionsPerSecond');
  const perSecond = numberIn(wanted, 'rate') ?? defaultRate.perSecond;
  const most = numberIn(cap, 'rate') ?? largest;
  const burst = by.burst ?? saidBy(policy, 'burst');
  return {
    rate: { perSecond: Math.min(most, perSecond), burst: numberIn(burst, 'burst') ?? defaultRate.burst },
    problems: [problemOf(wanted, 'rate'), problemOf(burst, 'burst'), problemOf(cap, 'rate')].flatMap(
      (one) => one ?? [],
    ),
    ...(wanted ? { from: wanted.where } : {}),
    ...(policy && most < perSecond ? { cappedBy: policy.name } : {}),
  };
}

/** What cannot be read of a policy's own numbers. */
export function policyProblems(policy: EvictionPolicy): readonly string[] {
  return readRate({ perSecond: undefined, burst: undefined, policy }).problems;
}

type RateField = 'evictionsPerSecond' | 'burst' | 'maxEvictionsPerSecond';

function saidBy(policy: EvictionPolicy | undefined, field: RateField): Said | undefined {
  const value = policy?.[field];
  return policy && value !== undefined
    ? { where: `${field} of EvictionPolicy ${policy.name}`, text: String(value) }
    : undefined;
}

/** `undefined` where nothing is written, 0 (the safe side) where it cannot be read. */
function numberIn(said: Said | undefined, kind: keyof typeof forms): number | undefined {
  if (said === undefined) return undefined;
  return isReadable(said, kind) ? Number(said.text) : 0;
}

function isReadable({ text }: Said, kind: keyof typeof forms): boolean {
  return forms[kind].form.test(text) && Number(text) <= largest;
}

function problemOf(said: Said | undefined, kind: keyof typeof forms): string | undefined {
  return said === undefined || isReadable(said, kind)
    ? undefined
    : `${said.where} is "${said.text}", which is ${forms[kind].says}`;
}
