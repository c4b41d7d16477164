// How often concurrent steps count the pods that a rule matches.
import { describe, expect, it } from 'vitest';
import { createMemory } from '../../lib/memory.ts';
import { recently } from '../../lib/steps/recentlyFound.ts';

function counting(found: { readonly isUnapproved: boolean; readonly pods: number }, takes = 0) {
  const at = { now: 0 };
  const deps = { memory: createMemory(), clock: { now: () => at.now, sleep: async () => {} } };
  let counts = 0;
  const ask = () =>
    recently(deps, 'rule', async () => {
      counts++;
      await Promise.resolve();
      at.now += takes;
      return found;
    });
  return { at, deps, ask, counts: () => counts };
}

describe('a count of the pods of a rule', () => {
  it.each([
    ['few pods that need an approval', { isUnapproved: true, pods: 3 }, 1500],
    ['100,000 pods that need an approval', { isUnapproved: true, pods: 100_000 }, 11_000],
    ['100,000 approved pods', { isUnapproved: false, pods: 100_000 }, 1500],
  ])('an outdated count of %s is made again once by all concurrent steps', async (_, found, later) => {
    const { at, ask, counts } = counting(found);
    await ask();
    await ask();
    expect(counts()).toBe(1);
    at.now = later;
    await Promise.all(Array.from({ length: 20 }, ask));
    expect(counts()).toBe(2);
  });

  it('a count of 100,000 pods is reused after nine seconds if they are held, and made again if they may be evicted', async () => {
    for (const isUnapproved of [false, true]) {
      const { at, ask, counts } = counting({ isUnapproved, pods: 100_000 });
      await ask();
      at.now = 9000;
      await ask();
      expect([isUnapproved, counts()]).toEqual([isUnapproved, isUnapproved ? 1 : 2]);
    }
  });

  it('a count serves all steps that waited for it, even if it took longer than it is kept', async () => {
    const { ask, counts } = counting({ isUnapproved: false, pods: 3 }, 30_000);
    await Promise.all(Array.from({ length: 20 }, ask));
    expect(counts()).toBe(1);
  });

  it('a count that fails is not kept, and a later one succeeds', async () => {
    const { deps, ask, counts } = counting({ isUnapproved: false, pods: 3 });
    const fails = recently(deps, 'rule', async () => {
      throw new Error('the table is throttled');
    });
    await expect(fails).rejects.toThrow('the table is throttled');
    await ask();
    await ask();
    expect(counts()).toBe(1);
  });
});
