// Parses rates and bursts set by people and agents. An unreadable value evicts no pod and is reported.
import { defaultRate, type Rate } from '../model/eviction.ts';
import type { EvictionPolicy } from '../model/policy.ts';

const largest = 10_000;

/** A value and where it is set. */
export interface Said {
  readonly where: string;
  readonly text: string;
}

export interface WrittenRate {
  readonly rate: Rate;
  /** Where the rate is set; absent for the default. */
  readonly from?: string;
  /** Where the burst is set; absent for the default. */
  readonly burstFrom?: string;
  /** The policy whose cap is lower than the rate set. */
  readonly cappedBy?: string;
  /** Unreadable values, as sentences without a full stop; if there are any, no pod is evicted. */
  readonly problems: readonly string[];
}

/** Rate: 0 to 10000 with at most four decimals (`0.0167` is one per minute). Burst: a whole number from 0 to 10000. */
const forms = {
  rate: { form: /^\d{1,5}(\.\d{1,4})?$/, says: 'no number from 0 to 10000 with at most four decimals' },
  burst: { form: /^\d{1,5}$/, says: 'no whole number from 0 to 10000' },
} as const;

export function isRate(text: string): boolean {
  return forms.rate.form.test(text) && Number(text) <= largest;
}

/** Taint and rule take precedence over the policy; the policy's cap limits both. The default is rate 10, burst 10. */
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
    ...(burst ? { burstFrom: burst.where } : {}),
    ...(policy && most < perSecond ? { cappedBy: policy.name } : {}),
  };
}

/** The rate of a policy for taints without one of their own; its problems are the unreadable values among the policy's own numbers. */
export function policyRate(policy: EvictionPolicy): WrittenRate {
  return readRate({ perSecond: undefined, burst: undefined, policy });
}

type RateField = 'evictionsPerSecond' | 'burst' | 'maxEvictionsPerSecond';

function saidBy(policy: EvictionPolicy | undefined, field: RateField): Said | undefined {
  const value = policy?.[field];
  return policy && value !== undefined
    ? { where: `${field} of EvictionPolicy ${policy.name}`, text: String(value) }
    : undefined;
}

/** `undefined` if not set; 0 (the safe side) if unreadable. */
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
