// What a page that is open all day keeps in memory between two reads.
import { describe, expect, it } from 'vitest';
import type { RecentEviction } from '../../lib/state/recentRows.ts';
import { tallyOf } from '../../lib/state/recordRows.ts';
import type { LimiterFacts } from '../../lib/view/facts.ts';
import { createMemory, rememberRecent, settle } from '../../lib/view/memory.ts';
import { aRule } from '../support/objects.ts';

const start = 1_800_000_000_000;
const [second, window] = [1000, 600_000];

const factsOf = (name: string, evicted: number): LimiterFacts => ({
  limiter: `rule|${name}`,
  gone: false,
  isEvaluating: false,
  listed: [],
  isPartial: false,
  evicted,
});

function evictionOf(rule: string, pod: string, at: number): RecentEviction {
  const device = { driver: 'd', pool: 'p', device: 'g' };
  const taint = { key: 'k', value: '', effect: 'NoExecute', timeAdded: at } as const;
  const origin = { kind: 'Rule', name: rule, uid: rule, generation: 1 } as const;
  const claim = { namespace: 'ns', name: pod };
  return {
    pod: { namespace: 'ns', name: pod, uid: pod },
    at,
    outcome: 'Evicted',
    limiter: `rule|${rule}`,
    because: [{ origin, device, taint, claim, at }],
  };
}

describe('the memory of a reader', () => {
  it('the memory of a reader does not grow with deleted rules, and keeps the count of a rule that still exists', () => {
    const memory = createMemory();
    const standing = aRule('standing', start);
    let [shown, largest] = [0, 0];
    for (let i = 0; i < 3600; i++) {
      const now = start + i * second;
      const evictions = [evictionOf(`rule-${i}`, `pod-${i}`, now)];
      if (i < 5) evictions.push(evictionOf('standing', `first-${i}`, now));
      rememberRecent(memory, { evictions, isPartial: false }, { now, oldest: now - window });
      settle(memory, factsOf(`rule-${i}`, 1), now);
      shown = settle(memory, { ...factsOf('standing', Math.min(i + 1, 5)), rule: standing }, now).evicted;
      const { recent, counted, countedAt, latest, limiters } = memory;
      largest = Math.max(largest, ...[recent, counted, countedAt, latest, limiters].map(({ size }) => size));
    }
    expect(shown).toBe(5);
    expect(memory.counted.get(tallyOf('rule|standing'))).toBe(5);
    expect(largest).toBeLessThanOrEqual(window / second + 10);
  });
});
