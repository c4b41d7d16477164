// Page of a deleted rule in place of its plan: what it evicted, when it ended, and a link to its evictions.
import type { Instant } from '../../model/time.ts';
import { markup } from '../markup.ts';
import type { ClusterProgress, LimiterProgress } from '../progress.ts';
import { countText, timeText } from '../words.ts';
import type { ConsolePage } from './page.ts';
import { withQuery } from './parts.ts';

/** `ref`: `Kind/NAME` of a rule that the cluster does not have. Absent if no progress of it is known either. */
export function endedPage(ref: string, { limiters, at }: ClusterProgress): ConsolePage | undefined {
  const place = ref.replace('/', ' ');
  const ended = limiters.filter((one) => one.kind === 'Rule' && one.place === place);
  const [first] = ended;
  if (!first) return undefined;
  const { name } = first;
  return {
    title: `Plan of ${ref}`,
    regions: [
      {
        id: 'summary',
        html: markup`<section class="panel" aria-label="Summary"><p>${ref} is deleted, so it has no plan.</p>${ended.map((one) => markup`<p><code>${one.taint}</code>: ${endedText(one, at)}</p>`)}<p><a href="${withQuery('/timeline', { rule: ref })}">Evictions of ${name}</a></p></section>`,
      },
    ],
  };
}

/** `3 pods evicted, the last at 12:00:00 UTC; 1 pod kept.` */
function endedText({ counts, kept = 0, lastEvictionAt }: LimiterProgress, now: Instant): string {
  const last = lastEvictionAt === undefined ? '' : `, the last at ${timeText(lastEvictionAt, now)} UTC`;
  return `${countText(counts.evicted, 'pod')} evicted${last}${kept > 0 ? `; ${countText(kept, 'pod')} kept` : ''}.`;
}
