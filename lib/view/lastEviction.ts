// Summary of an eviction with its leading reason: that of the limiter whose token was used.
import { describeTaint } from '../decide/taintText.ts';
import { describeOrigin, originKey, type Reason } from '../model/verdict.ts';
import type { RecentEviction } from '../state/recentRows.ts';
import type { LastEviction } from './progress.ts';

export function lastEvictionOf(eviction: RecentEviction): LastEviction {
  const { pod, node, at, outcome, because } = eviction;
  const reason = leadingReason(eviction);
  return {
    pod,
    ...(node === undefined ? {} : { node }),
    at,
    outcome: outcomeText(outcome),
    source: reason ? describeOrigin(reason.origin) : 'reason not recorded',
    taint: reason ? describeTaint(reason.taint) : '',
    device: reason ? `${reason.device.driver}/${reason.device.pool}/${reason.device.device}` : '',
    moreReasons: Math.max(0, because.length - 1),
    sources: [...new Set(because.map(({ origin }) => describeOrigin(origin).replace(' ', '/')))],
  };
}

export function leadingReason({ because, limiter }: RecentEviction): Reason | undefined {
  return because.find((one) => originKey(one) === limiter) ?? because[0];
}

function outcomeText(outcome: RecentEviction['outcome']): string {
  switch (outcome) {
    case 'Evicted':
      return 'evicted';
    case 'Gone':
      return 'gone before';
    case 'OutcomeUnknown':
      return 'was terminating';
    case 'Abandoned':
      return 'given up';
    default:
      return outcome satisfies never;
  }
}
