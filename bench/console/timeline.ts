// Renders the Timeline page with the maximum evictions of one read, because the benchmark has no state table.
import { renderDocument } from '../../lib/view/console/page.ts';
import { timelinePage } from '../../lib/view/console/timelinePage.ts';
import type { LastEviction } from '../../lib/view/progress.ts';

/** 1,000 from each of 16 shards. */
const evictionsRead = 16_000;
const day = 24 * 3_600_000;

export function renderFullTimeline(now: number): string {
  const evictions = Array.from({ length: evictionsRead }, (_, i): LastEviction => {
    const name = `pod-${i}`;
    return {
      pod: { namespace: `team-${i % 20}`, name, uid: `uid-${name}` },
      node: `node-${i % 5000}`,
      at: now - Math.floor((i * day) / evictionsRead),
      outcome: 'evicted',
      source: 'DeviceTaintRule unhealthy',
      taint: 'example.com/unhealthy:NoExecute',
      device: `gpu.example.com/node-${i % 5000}/gpu-${i % 8}`,
      moreReasons: 0,
      sources: ['DeviceTaintRule/unhealthy'],
    };
  });
  const query = { rule: '', node: '', team: '', page: 1, from: '', until: '' };
  const page = timelinePage({ evictions, since: now - day, until: now, now }, query);
  const frame = { cluster: 'bench', at: now, health: { isGood: true, text: 'watched' }, notices: [], missing: [] };
  return renderDocument(frame, page);
}
