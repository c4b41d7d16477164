// A rule's condition `sluice.dev/Pacing`: the rate, the next eviction, and the estimated end of the last one.
import type { Rate } from '../model/eviction.ts';
import type { ReasonOf } from '../model/reasons.ts';
import type { RuleCondition } from '../model/status.ts';
import { stoppedText } from '../model/stop.ts';
import { formatInstant, type Instant, type Milliseconds } from '../model/time.ts';
import type { WrittenRate } from './writtenRate.ts';

export const pacing = 'sluice.dev/Pacing';

/** The pods of one limiter. */
export interface Queue {
  /** Pods that are being deleted. */
  readonly deleting: number;
  /** Due pods without a token. */
  readonly pending: number;
  /** Pods whose toleration has not ended: how many, and when the first and the last of them are due. Absent if there are none. */
  readonly later?: { readonly pods: number; readonly first: Instant; readonly last: Instant };
  /** Pods without a due time: kept until an operator changes something. Absent if there are none. */
  readonly kept?: number;
}

/** One taint of the rule that evicts. */
export interface PacedTaintFacts {
  /** Key and description of the taint. */
  readonly name: string;
  readonly written: WrittenRate;
  /** Name of the taint's EvictionPolicy. */
  readonly policy?: string;
  /** The reason for a stop of the whole cluster, in words. */
  readonly stop?: string;
  /** Why its pods are held. */
  readonly hold?: { readonly reason: string };
  /** Limits of pods in flight in its policy, such as `maxPerNode`. */
  readonly inFlight?: readonly string[];
  readonly queue: Queue;
  /** Time of the next token and the time between tokens; absent if there is none. */
  readonly schedule?: { readonly first: Instant; readonly step: Milliseconds };
  /** Evictions per second of the whole cluster. */
  readonly limit?: number;
}

/** A taint with `NothingPending` is left out of the message. */
type Reason = Exclude<ReasonOf<typeof pacing>, 'NotPaced'> | 'NothingPending';

interface Said {
  readonly reason: Reason;
  readonly text: string;
}

export type PacingContent = Omit<RuleCondition, 'lastTransitionTime'>;

/** True while pods of at least one taint are being evicted. `undefined` if no pod is pending and every rate is readable. */
export function pacingCondition(
  taints: readonly PacedTaintFacts[],
  { generation, now }: { readonly generation: number; readonly now: Instant },
): PacingContent | undefined {
  const said = taints.map((one) => ({ name: one.name, ...describe(one, now) }));
  const [worst] = said.toSorted((a, b) => weight[a.reason] - weight[b.reason]);
  if (!worst || worst.reason === 'NothingPending') return undefined;
  const telling = said.filter(({ reason }) => reason !== 'NothingPending');
  const message = telling.map(({ name, text }) => (taints.length > 1 ? `${name}: ${text}` : text)).join(' ');
  const status = said.some(({ reason }) => reason === 'Paced') ? 'True' : 'False';
  return { type: pacing, status, reason: worst.reason, message, observedGeneration: generation };
}

/** For a native rule that another controller evicts for. */
export function unpacedCondition(generation: number): PacingContent {
  const message =
    'Sluice only watches DeviceTaintRules of this cluster: another controller evicts for them, all pods at once. The pods of a PacedTaintRule are evicted at a rate.';
  return {
    type: pacing,
    status: 'False',
    reason: 'NotPaced' satisfies ReasonOf<typeof pacing>,
    message,
    observedGeneration: generation,
  };
}

/** Reasons that need an operator come first. */
const weight: Readonly<Record<Reason, number>> = {
  RateUnreadable: 0,
  Stopped: 1,
  Paced: 2,
  StandsStill: 3,
  Held: 4,
  NothingPending: 5,
};

function describe(facts: PacedTaintFacts, now: Instant): Said {
  const { written, policy, stop, hold, inFlight = [], queue, schedule, limit } = facts;
  const { rate, problems } = written;
  if (problems.length > 0)
    return {
      reason: 'RateUnreadable',
      text: `${problems.join('; ')}: no pod is evicted until it is fixed or removed.`,
    };
  const waiting = queue.pending + (queue.later?.pods ?? 0);
  const kept = keptText(queue.kept, waiting === 0 ? '' : ' more');
  // Stryker disable next-line StringLiteral: the text is never shown
  if (waiting === 0 && kept === undefined) return { reason: 'NothingPending', text: '' };
  if (stop !== undefined) return { reason: 'Stopped', text: stoppedText(stop) };
  if (hold) return { reason: 'Held', text: `Held: ${hold.reason}.` };
  if (waiting === 0) return { reason: 'Held', text: `Held: ${kept}` };
  const all = limit === undefined ? '' : `, in the whole cluster at most ${limit}`;
  const pace = `${rate.perSecond} pods a second, burst ${rate.burst}${sourceOf(written, policy)}${all}`;
  if (!schedule || limit === 0) return { reason: 'StandsStill', text: `No evictions at ${pace}.` };
  const next = inFlight.length > 0 ? onceAllowed(waiting, inFlight) : timesText(facts, schedule, now);
  return { reason: 'Paced', text: [`${pace}: ${next}.`, ...(kept === undefined ? [] : [kept])].join(' ') };
}

function keptText(kept: number | undefined, more: string): string | undefined {
  if (!kept) return undefined;
  const pods = kept === 1 ? `1${more} pod is` : `${kept}${more} pods are`;
  return `${pods} kept, each by its mode, its namespace or its policy.`;
}

function timesText(
  { queue, limit }: PacedTaintFacts,
  schedule: NonNullable<PacedTaintFacts['schedule']>,
  now: Instant,
): string {
  const step = Math.max(schedule.step, 1000 / (limit ?? Number.POSITIVE_INFINITY));
  const { next, last } = spanOf(queue, { ...schedule, step }, now);
  const waiting = queue.pending + (queue.later?.pods ?? 0);
  const end =
    waiting === 1 ? '' : `, the last of ${waiting + queue.deleting} pods is evicted at about ${formatInstant(last)}`;
  return `next pod at ${formatInstant(next)}${end}`;
}

/** Pods may end at any time, and until then nothing happens after which the condition would be written: a time would pass. */
function onceAllowed(waiting: number, limits: readonly string[]): string {
  const next = waiting === 1 ? 'the pod is evicted' : `the next of ${waiting} pods is evicted`;
  return `${next} once ${limits.join(' and ')} ${limits.length === 1 ? 'allows' : 'allow'} it`;
}

/** A policy that does not set the rate is named too. */
function sourceOf({ from, cappedBy }: WrittenRate, policy: string | undefined): string {
  const said = from === undefined ? [] : [`by ${from}`];
  const capped = cappedBy === undefined ? [] : [`capped by EvictionPolicy ${cappedBy}`];
  const isNamed = cappedBy !== undefined || from?.endsWith(`EvictionPolicy ${policy}`);
  const under = policy === undefined || isNamed ? [] : [`under EvictionPolicy ${policy}`];
  const all = [...said, ...capped, ...under];
  return all.length === 0 ? '' : ` (${all.join(', ')})`;
}

/** Evictions per second of a rule's taints in their order, or once if all are the same; `limit`: of the whole cluster. */
export function ratesText(rates: readonly Rate[], limit = Number.POSITIVE_INFINITY): string {
  const all = rates.map(({ perSecond }) => String(Math.min(perSecond, limit)));
  return (new Set(all).size === 1 ? all.slice(0, 1) : all).join(', ');
}

const none: NonNullable<Queue['later']> = { pods: 0, first: 0, last: 0 };

/** Evictions start at the next token; pods that are due later are not evicted before that. */
function spanOf(
  { pending, later = none }: Queue,
  { first, step }: NonNullable<PacedTaintFacts['schedule']>,
  now: Instant,
): { readonly next: Instant; readonly last: Instant } {
  const free = Math.max(first, now);
  const next = pending > 0 ? free : Math.max(free, later.first);
  return { next, last: Math.max(free + (pending + later.pods - 1) * step, later.last) };
}
