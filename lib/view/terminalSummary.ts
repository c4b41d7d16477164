// Summary at the end of a session, and single log lines for output that is not a terminal.
import { inkOf, printable } from './ink.ts';
import type { ClusterProgress, LimiterProgress } from './progress.ts';
import { shownName } from './shownName.ts';
import { heldNote, stateWord } from './stateLabel.ts';
import { shortestLeft } from './terminalColumns.ts';
import { clockText, countText, durationText, numberText } from './words.ts';

const shownRules = 10;

/** One line per rule that had pods, the busiest first. */
export function renderSummary(progress: ClusterProgress, { color }: { readonly color: boolean }): readonly string[] {
  const ink = inkOf(color);
  const busy = progress.limiters.filter(({ total, counts }) => total + counts.evicted > 0);
  if (busy.length === 0) return ['No pod had to be evicted.'];
  const sorted = busy.toSorted((a, b) => b.counts.evicted - a.counts.evicted);
  const lines = sorted.slice(0, shownRules).map((one) => `  ${summaryOf(one, sorted)}`);
  const rest = sorted.slice(shownRules);
  const evicted = rest.reduce((sum, { counts }) => sum + counts.evicted, 0);
  const { total } = progress.recent;
  const all = total ? `: ${countText(total.evicted, 'pod')} since ${clockText(total.since)} UTC` : '';
  return [
    ink.bold(`Evicted from ${printable(progress.cluster)}${all}`),
    ...(total ? [ink.dim('Rules that exist and had pods, or evicted one in the last ten minutes:')] : []),
    ...lines,
    ...(rest.length === 0
      ? []
      : [ink.dim(`  and ${countText(rest.length, 'more rule')} with ${countText(evicted, 'evicted pod')}`)]),
  ];
}

function summaryOf(limiter: LimiterProgress, all: readonly LimiterProgress[]): string {
  const { counts, kept } = limiter;
  const left = counts.pending + counts.deleting + counts.waiting;
  const notes = [
    left > 0 ? `${numberText(left)}${limiter.isPartial ? '+' : ''} left` : [],
    kept === undefined ? [] : `${numberText(kept)} kept`,
  ].flat();
  const note = notes.length > 0 ? `, ${notes.join(', ')}` : '';
  return `${shownName(limiter, all)}: ${stateWord(limiter).toLowerCase()}, ${countText(counts.evicted, 'pod')} evicted${note}`;
}

/** One log line about active rules. */
export function renderPlainLine(progress: ClusterProgress): string {
  const busy = progress.limiters.filter(({ state }) => state === 'Evicting' || state === 'Waiting');
  const parts = busy.slice(0, shownRules).map((one) => {
    const left =
      one.finishAt === undefined ? '' : `, ${durationText(Math.max(one.finishAt - progress.at, shortestLeft))} left`;
    const held = one.heldBecause === undefined ? '' : `, ${heldNote(one.heldBecause)}`;
    return `${shownName(one, busy)} ${numberText(one.counts.evicted)} of ${numberText(one.total)} evicted${left}${held}`;
  });
  const rest = busy.length > shownRules ? [`${countText(busy.length - shownRules, 'more rule')}`] : [];
  const { watcher, recent } = progress;
  const idle =
    watcher.age === undefined && !watcher.isUnread
      ? 'no heartbeat from the watcher yet'
      : `${numberText(recent.evicted)} evicted in the last ${durationText(recent.window)}, no pod left`;
  return `${clockText(progress.at)} ${[...parts, ...rest].join('; ') || idle}`;
}
