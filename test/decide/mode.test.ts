// In what way pods go, by their labels: the table that people argue about.
import { describe, expect, it } from 'vitest';
import { backoffAfter, delayedBy, describeWay, requestFor, wayToGo } from '../../lib/decide/mode.ts';
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
  ])('%s with deadline %s: listed for %d, then %s, after the deadline %s', (mode, deadline, at, first, late) => {
    const pod = labelled(mode, deadline);
    expect(delayedBy(pod, [{ limiter: 'rule|x', dueAt: due }])).toEqual([{ limiter: 'rule|x', dueAt: at }]);
    expect(requestFor(pod, { due, now: due })).toBe(first);
    expect(requestFor(pod, { due, now: due + 60 * minute })).toBe(late);
  });

  it('that nobody can read keeps the pod, and is named', () => {
    expect(wayToGo(labelled('evict')).problem).toContain('its label sluice.dev/eviction-mode is "evict"');
    expect(describeWay(labelled('Evict', 'soon'))).toContain('its label sluice.dev/eviction-deadline is "soon"');
    expect(describeWay(labelled('Skip'))).toContain('never evicted');
    expect(describeWay(labelled())).toBeUndefined();
  });

  it('a blocked pod is tried less and less often, down to once in five minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 1000].map((times) => backoffAfter(times) / 1000)).toEqual([
      10, 20, 40, 80, 160, 300, 300, 300,
    ]);
  });
});
