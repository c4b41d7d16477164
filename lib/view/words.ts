// Formats selectors, counts and durations, the same in every renderer.
import { namespacesPaused } from '../decide/planHold.ts';
import type { Mode, Modes } from '../model/ownership.ts';
import type { PlanSummary } from '../model/plan.ts';
import type { PacedDeviceSelector } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/** An absent selector matches no device, one without criteria every device. */
export function selectorText(selector: PacedDeviceSelector | undefined): string {
  if (!selector) return 'no device';
  const { deviceClassName, selectors = [], deviceTaints = [] } = selector;
  const parts = [
    ...(['driver', 'pool', 'device'] as const).flatMap((name) =>
      selector[name] === undefined ? [] : [`${name} ${selector[name]}`],
    ),
    ...(deviceClassName === undefined ? [] : [`class ${deviceClassName}`]),
    ...(selectors.length === 0 ? [] : [countText(selectors.length, 'CEL expression')]),
    ...(deviceTaints.length === 0 ? [] : [countText(deviceTaints.length, 'taint')]),
  ];
  return parts.length === 0 ? 'every device' : parts.join(', ');
}

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`; negative durations count as 0. */
export function durationText(length: Milliseconds): string {
  const ms = Math.max(0, length);
  if (ms < 9950) return `${(Math.round(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return twoUnits(seconds, 60, ['min', 's']);
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return twoUnits(minutes, 60, ['h', 'min']);
  return twoUnits(Math.round(minutes / 60), 24, ['d', 'h']);
}

/** `within 7.2 s`, or `at once`. */
export function withinText(takes: Milliseconds): string {
  return takes < 50 ? 'at once' : `within ${durationText(takes)}`;
}

/** When the pods of a plan are evicted, after their number: ` within 7.2 s`. */
export function planTimeText({
  takes,
  held,
  pods,
  paused,
}: Partial<Pick<PlanSummary, 'pods' | 'paused'>> & {
  readonly takes?: Milliseconds | undefined;
  readonly held?: string | undefined;
}): string {
  if (paused && paused === pods) return `, but none now: ${held ?? namespacesPaused}`;
  if (takes === undefined) return ', but none while the rate is 0';
  if (held !== undefined) return ` ${withinText(takes)} when not held; none now: ${held}`;
  return ` ${withinText(takes)}`;
}

/** What the time of a plan leaves out: its pods beyond their PodDisruptionBudgets; and the pods whose budgets are not known. */
export function budgetTexts({
  beyondBudgets,
  unbudgeted,
}: Pick<PlanSummary, 'beyondBudgets' | 'unbudgeted'>): readonly string[] {
  return [
    ...(beyondBudgets > 0
      ? [
          `${countText(beyondBudgets, 'pod')} more than PodDisruptionBudgets allow: in mode Evict these wait, and it takes longer`,
        ]
      : []),
    ...(unbudgeted > 0 ? [`the PodDisruptionBudgets of ${countText(unbudgeted, 'pod')} could not be read`] : []),
  ];
}

/** `3 of them are kept while their namespaces are paused`; for the pods of a plan. */
export function pausedText(paused: number): string {
  return `${numberText(paused)} of them ${paused === 1 ? 'is kept while its namespace is' : 'are kept while their namespaces are'} paused`;
}

/** `7 s`: remaining whole seconds, at least one. */
export function secondsText(length: Milliseconds): string {
  return `${Math.max(1, Math.ceil(length / 1000))} s`;
}

function twoUnits(count: number, size: number, [large, small]: readonly [string, string]): string {
  const rest = count % size;
  return `${Math.floor(count / size)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

/** `just now`, `7 s ago`: whole seconds, so that the text does not flicker. */
export function agoText(age: Milliseconds): string {
  return age < 1000 ? 'just now' : `${age < 60_000 ? `${Math.floor(age / 1000)} s` : durationText(age)} ago`;
}

/** `14:03:09` in UTC; `-` for an instant outside the range of Date. */
export function clockText(at: Instant): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString().slice(11, 19);
}

/** `14:03:09`, or `2026-11-21 14:03:09` if the day differs from that of `now`; UTC. */
export function timeText(at: Instant, now: Instant): string {
  const day = (of: Instant) => new Date(of).toISOString().slice(0, 10);
  return day(at) === day(now) ? clockText(at) : `${day(at)} ${clockText(at)}`;
}

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** `12,345`. */
export function numberText(n: number): string {
  return numbers.format(n);
}

/** `1 pod`, `2 pods`, `3 classes`. */
export function countText(n: number, noun: string): string {
  const plural = noun.endsWith('s') ? 'es' : 's';
  return `${numberText(n)} ${noun}${n === 1 ? '' : plural}`;
}

/** `10/s, burst 10`. */
export function rateText(rate: { readonly perSecond: number; readonly burst: number }): string {
  return `${numberText(rate.perSecond)}/s, burst ${numberText(rate.burst)}`;
}

/** Whole percent; 100 only if `done` equals `total`. */
export function percentDone(done: number, total: number): number {
  if (total <= 0) return 0;
  return done >= total ? 100 : Math.min(99, Math.floor((100 * done) / total));
}

/** Text about sources that Sluice does not act on; empty if it acts on all. */
export function modesText({ native, paced }: Modes): string {
  const words: Readonly<Record<Mode, string>> = { own: 'own', shadow: 'shadow: only watched', off: 'off' };
  if (native === paced) return native === 'own' ? '' : words[native];
  const parts = [
    native === 'own' ? [] : `native taints ${words[native]}`,
    paced === 'own' ? [] : `paced ones ${words[paced]}`,
  ];
  return parts.flat().join(', ');
}
