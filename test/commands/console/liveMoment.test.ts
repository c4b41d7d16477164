// What a browser has of a live page is of one moment: the banners with their numbers, and the page below them.
import { expect, it } from 'vitest';
import type { Situation } from '../../../lib/commands/console/frame.ts';
import { createRegionReader } from '../../../lib/commands/console/live.ts';
import type { ConsolePage, Notice } from '../../../lib/view/console/page.ts';
import { htmlOf, markup } from '../../../lib/view/markup.ts';
import { textOf } from '../support/consoleScene.ts';

const held = (pods: number): Notice => ({ kind: 'Held', what: 'rule a', why: `${pods} pods wait.` });
const paused: Notice = { kind: 'Paused', what: 'rule b', why: 'until Monday' };

/** A page that says how many pods its situation has, and takes `cost` milliseconds to make. */
function aLivePage({ path = 'rules', cost = 0, isStill = false } = {}) {
  const clock = { now: 0 };
  let made = 0;
  const make = async ({ progress }: Situation): Promise<ConsolePage> => {
    made++;
    clock.now += cost;
    const pods = (progress as unknown as { readonly pods: number }).pods;
    return {
      title: 'Page',
      regions: [{ id: 'main', html: markup`<p>${pods} pods here</p>` }],
      ...(isStill ? { isStill } : {}),
    };
  };
  const address = { path: [path], query: new URLSearchParams() };
  let version = 0;
  const read = createRegionReader({ io: { now: () => clock.now }, version: () => version }, { address, make });
  return {
    made: () => made,
    change: () => {
      version++;
    },
    async at(now: number, pods: number, notices: readonly Notice[]) {
      clock.now = now;
      const frame = { cluster: 'prod', at: now, health: { isGood: true, text: 'live' }, notices, missing: [] };
      const regions = await read({ frame, progress: { pods } } as unknown as Situation);
      return textOf(regions.map(({ html }) => htmlOf(html)).join(' '));
    },
  };
}

it.each([
  ['rests between reads', { path: 'timeline' }],
  ['is slow on a busy machine', { cost: 1000 }],
])('a banner that comes while a page %s comes with the page of its moment', async (_, page) => {
  const live = aLivePage(page);
  expect(await live.at(0, 0, [])).toContain('0 pods here');
  const text = await live.at(1200, 37, [held(37)]);
  expect(text).toContain('37 pods wait.');
  expect(text).toContain('37 pods here');
  const after = await live.at(2400, 0, []);
  expect(after).toContain('0 pods here');
  expect(after).not.toContain('wait');
});

it('the numbers of a banner change together with those of the page', async () => {
  const live = aLivePage({ path: 'timeline' });
  await live.at(0, 37, [held(37)]);
  const text = await live.at(1000, 36, [held(36)]);
  expect(text).toContain('37 pods wait.');
  expect(text).toContain('37 pods here');
  expect(live.made()).toBe(1);
  const later = await live.at(3000, 35, [held(35)]);
  expect(later).toContain('35 pods wait.');
  expect(later).toContain('35 pods here');
});

it('a pause shows at once, whatever the page does', async () => {
  const live = aLivePage({ path: 'timeline' });
  await live.at(0, 37, [held(37)]);
  const text = await live.at(100, 37, [paused, held(37)]);
  expect(text).toContain('until Monday');
  expect(await live.at(200, 37, [{ ...paused, why: 'until Tuesday' }, held(37)])).toContain('until Tuesday');
});

it('an open form stays as it is below banners of this moment', async () => {
  const live = aLivePage({ isStill: true });
  await live.at(0, 37, [held(37)]);
  const text = await live.at(5000, 12, [held(12)]);
  expect(text).toContain('12 pods wait.');
  expect(text).toContain('37 pods here');
});

it('an open form is made again at most every two seconds, and every ten while nothing has changed', async () => {
  const live = aLivePage({ path: 'act' });
  for (let now = 0; now <= 9500; now += 500) await live.at(now, 4, []);
  expect(live.made()).toBe(1);
  expect(await live.at(10_000, 5, [])).toContain('5 pods here');
  expect(live.made()).toBe(2);
  live.change();
  await live.at(11_500, 6, []);
  expect(live.made()).toBe(2);
  expect(await live.at(12_000, 6, [])).toContain('6 pods here');
  expect(live.made()).toBe(3);
});
