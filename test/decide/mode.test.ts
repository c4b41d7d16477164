// In what way pods go, by their labels: the table that people argue about.
import { describe, expect, it } from 'vitest';
import { backoffAfter, delayedBy, describeWay, isSkipped, requestFor, wayToGo } from '../../lib/decide/mode.ts';
import { farFuture } from '../../lib/model/time.ts';

const due = 1_800_000_000_000;
const minute = 60_000;

function labelled(mode?: string, deadline?: string) {
  const labels: Record<string, string> = {};
  if (mode !== undefined) labels['sluice.dev/eviction-mode'] = mode;
  if (deadline !== undefined) labels['sluice.dev/eviction-deadline'] = deadline;
  return { labels };
}

describe('the mode of a pod', () => {
  it.each([
    [undefined, undefined, due, 'Delete', 'Delete'],
    ['Delete', undefined, due, 'Delete', 'Delete'],
    ['Evict', undefined, due, 'Evict', 'Delete'],
    ['Evict', '90s', due, 'Evict', 'Delete'],
    ['WaitForCompletion', undefined, due + 60 * minute, 'Delete', 'Delete'],
    ['WaitForCompletion', '5m', due + 5 * minute, 'Delete', 'Delete'],
    ['Skip', undefined, farFuture, 'Delete', 'Delete'],
    ['evict', undefined, farFuture, 'Delete', 'Delete'],
    ['', undefined, farFuture, 'Delete', 'Delete'],
    ['Evict', 'soon', farFuture, 'Delete', 'Delete'],
    ['Delete', '1d', farFuture, 'Delete', 'Delete'],
    ['Evict', 'in 90s', farFuture, 'Delete', 'Delete'],
    ['Evict', '90s or so', farFuture, 'Delete', 'Delete'],
  ])('%s with deadline %s: listed for %d, then %s, after the deadline %s', (mode, deadline, at, first, late) => {
    const pod = labelled(mode, deadline);
    expect(delayedBy(pod, [{ limiter: 'rule|x', dueAt: due }])).toEqual([{ limiter: 'rule|x', dueAt: at }]);
    expect(requestFor(pod, { due, now: due })).toBe(first);
    expect(requestFor(pod, { due, now: due + 60 * minute })).toBe(late);
  });

  it('that nobody can read keeps the pod, and is named', () => {
    expect(wayToGo(labelled('evict')).problem).toBe(
      'its label sluice.dev/eviction-mode is "evict", which is not Delete, Evict, WaitForCompletion or Skip: it stays until that is mended',
    );
    expect(describeWay(labelled('Evict', 'soon'))).toBe(
      'its label sluice.dev/eviction-deadline is "soon", which is not a duration such as 90s, 45m or 2h: it stays until that is mended',
    );
    expect(describeWay(labelled('Skip'))).toContain('never evicted');
    expect(describeWay(labelled())).toBeUndefined();
  });

  it.each([
    ['Evict', 'it goes when its disruption budgets allow it, at the latest 90 s after it was due'],
    ['WaitForCompletion', 'it may finish first, and goes at the latest 90 s after it was due'],
  ])('%s in words: %s', (mode, words) => {
    expect(describeWay(labelled(mode, '90s'))).toBe(words);
  });

  it.each([
    ['Skip', true],
    ['evict', true],
    ['Evict', false],
    [undefined, false],
  ])('%s skips the pod: %s', (mode, expected) => {
    expect(isSkipped(labelled(mode))).toBe(expected);
  });

  it('a blocked pod is tried less and less often, down to once in five minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 1000].map((times) => backoffAfter(times) / 1000)).toEqual([
      10, 20, 40, 80, 160, 300, 300, 300,
    ]);
  });
});
