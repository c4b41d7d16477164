// The HTML of the progress widget: no text from a cluster becomes markup, and everything that a reader needs is present.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderFragment, renderWidget } from '../../lib/view/html.ts';
import { htmlOf, markup } from '../../lib/view/markup.ts';
import { aLimiter, anEviction, aPicture, at } from './pictures.ts';

/** Tags and their attribute names in order, without texts. */
function skeleton(html: string): string {
  return [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag.replace(/"[^"]*"/g, '""')).join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are replaced on purpose
const unsafe = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

describe('texts from a cluster', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.constantFrom('<img src=x onerror=alert(1)>', '"><script>', "' onload='x", '</style>', '&lt;', ']]>'),
  );

  it('no text from a cluster changes the structure of the page', () => {
    const plain = skeleton(renderFragment(pictureWith('a')));
    fc.assert(
      fc.property(hostile, (text) => {
        expect(skeleton(renderFragment(pictureWith(text)))).toBe(plain);
      }),
    );
  });

  it('an escaped text is read back as it was, except for control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const escaped = htmlOf(markup`${text}`);
        expect(escaped).not.toMatch(/[<>"']/);
        const back = escaped.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entity[name] ?? '?');
        expect(back).toBe(text.replace(unsafe, '\ufffd'));
      }),
    );
  });

  it('no text from a cluster reverses the text after it', () => {
    expect(htmlOf(markup`${'\u202egnp.exe\u2066'} is kept`)).toBe('\ufffdgnp.exe\ufffd is kept');
  });

  it('a template escapes text and keeps markup', () => {
    expect(htmlOf(markup`<b>${'<i>'}${markup`<u>${1}</u>`}${[false, undefined, 'x']}</b>`)).toBe(
      '<b>&lt;i&gt;<u>1</u>x</b>',
    );
  });

  const entity: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

  function pictureWith(text: string) {
    const done = aLimiter({ state: 'Completed', name: text, taint: text, selector: text });
    return aPicture({
      cluster: text,
      limiters: [aLimiter({ name: text, taint: text, selector: text, heldBecause: text }), done],
      last: [anEviction({ pod: { namespace: text, name: text, uid: text }, node: text, source: text, device: text })],
    });
  }
});

describe('the widget', () => {
  it('a rule that was just created has no rate, burst and pace before it is evaluated', () => {
    const isNew = { state: 'NotStarted', isEvaluating: true, rate: { perSecond: 0, burst: 0 }, perSecond: [] } as const;
    const card = renderFragment(aPicture({ limiters: [aLimiter(isNew)] }));
    expect(card).toContain('Its rate and its pods are shown once it is evaluated.');
    expect(card).not.toMatch(/of 0\/s|burst/);
  });

  it.each([
    [[0, 2, 0], false],
    [[0, 0, 0], true],
  ])('the chart of evictions %j a second is marked as one that a phone leaves out: %s', (perSecond, isIdle) => {
    const card = renderFragment(aPicture({ limiters: [aLimiter({ perSecond })] }));
    expect(card.includes('<figure class="is-idle">')).toBe(isIdle);
  });

  it('the progress bar of a rule has a description for screen readers', () => {
    expect(renderFragment(aPicture())).toContain(
      'role="progressbar" aria-label="pods evicted by bad-gpus" aria-valuemin="0" aria-valuemax="100" aria-valuenow="30" aria-valuetext="30 of 100 pods evicted"',
    );
  });

  it.each([
    ['the time left and the end', aPicture(), ['3 min 20 s', 'until 09:33:20 UTC']],
    [
      'why a rule is held',
      aPicture({ limiters: [aLimiter({ heldBecause: 'its rate is 0' })] }),
      ['Held', 'its rate is 0'],
    ],
    [
      'that a rule is paused',
      aPicture({ limiters: [aLimiter({ heldBecause: 'Paused by audit (until Monday)' })] }),
      ['>Paused</span>', '<p class="held"><span>Paused by audit (until Monday).</span></p>'],
    ],
    [
      'that partial counts are lower bounds',
      aPicture({ limiters: [aLimiter({ isPartial: true })] }),
      ['more than 100 pods', 'over 3 min'],
    ],
    [
      'that the watcher is silent',
      aPicture({ watcher: { lastHeard: at, age: 95_000, isAlive: false } }),
      ['silent for 1 min 35 s', 'No pod is evicted until'],
    ],
    ['shadow mode', aPicture({ modes: { native: 'shadow', paced: 'own' } }), ['native taints shadow: only watched']],
    [
      'that Sluice is off',
      aPicture({ modes: { native: 'off', paced: 'off' } }),
      ['<span class="pill warn">off</span>'],
    ],
    [
      'that Sluice only watches the cluster',
      aPicture({ modes: { native: 'shadow', paced: 'shadow' }, limiters: [] }),
      ['Sluice only watches this cluster'],
    ],
    [
      'that the cluster has not been listed yet',
      aPicture({ limiters: [], watcher: { isAlive: false } }),
      ['has not listed the cluster yet'],
    ],
    [
      'that no pod to evict is known while the watcher is silent',
      aPicture({ limiters: [], last: [], watcher: { lastHeard: at, age: 95_000, isAlive: false } }),
      ['No pending pod is known', 'The watcher is silent'],
    ],
    [
      'that pending pods are due, whatever they wait for',
      aPicture(),
      ['pending</dt><dd>50<small>due, or held while due</small>'],
    ],
    [
      'that waiting pods are not due, unapproved, or kept by a budget',
      aPicture(),
      ['waiting</dt><dd>10<small>not due, unapproved, or kept by a budget</small>'],
    ],
    [
      'that nothing must be evicted',
      aPicture({ limiters: [], last: [] }),
      ['No pod is pending', 'Create a DeviceTaintRule'],
    ],
    [
      'that a rule is completed',
      aPicture({ limiters: [aLimiter({ state: 'Completed' })] }),
      ['Every rule with pods is completed', 'Completed'],
    ],
    [
      'how many pods a stopped rule has kept',
      aPicture({ limiters: [aLimiter({ state: 'Stopped', kept: 48 })] }),
      ['Stopped', '48 kept'],
    ],
    [
      'why a pod was evicted',
      aPicture({ last: [anEviction({ moreReasons: 2 })] }),
      ['DeviceTaintRule bad-gpus', 'and 2 more reasons', 'gpu.example.com/pool/gpu-0'],
    ],
    [
      'that Sluice works, what is held and what is pending',
      aPicture({
        limiters: [
          aLimiter({
            name: 'a',
            heldBecause: 'its rate is 0',
            counts: { evicted: 0, deleting: 0, pending: 7, waiting: 1 },
          }),
          ...['b', 'c', 'd'].map((name) => aLimiter({ name })),
        ],
      }),
      ['<dd>yes: ', '<dd>a (its rate is 0)</dd>', ': a 8, b ', ', and 1 more rule</dd>'],
    ],
    [
      'that Sluice does not work while the watcher is silent',
      aPicture({ watcher: { lastHeard: at, age: 95_000, isAlive: false } }),
      ['<dd>no: watcher silent for 1 min 35 s</dd>'],
    ],
    [
      'how many rules are left out',
      aPicture({
        limiters: Array.from({ length: 11 }, () =>
          aLimiter({ state: 'Completed', counts: { evicted: 2, deleting: 0, pending: 0, waiting: 0 } }),
        ),
      }),
      ['and 3 more rules with 6 evicted pods'],
    ],
  ])('the widget of a cluster says %s', (_, picture, texts) => {
    const page = renderFragment(picture);
    for (const text of texts) expect(page).toContain(text);
  });

  it('the widget has no script, loads nothing and has no inline style', () => {
    const widget = renderWidget(aPicture());
    expect(widget).toMatch(/^<style>/);
    expect(widget).not.toMatch(/<script|<link|<iframe|<use|\son[a-z]+=|\sstyle=|url\(|https?:/);
  });

  it('the widget styles only itself, in the theme of the console, and opts out of the styles of CloudWatch', () => {
    const [style = ''] = /<style>[^<]*/.exec(renderWidget(aPicture(), 'dark')) ?? [];
    const blocks = style.replace('<style>', '').replace(/@media\([^)]*\)/g, '');
    const selectors = blocks
      .split(/\{[^{}]*\}|[{}]/)
      .flatMap((one) => one.split(','))
      .map((one) => one.trim())
      .filter(Boolean);
    expect(selectors.length).toBeGreaterThan(50);
    expect(selectors.filter((one) => !one.startsWith('.sluice'))).toEqual([]);
    expect(style).not.toContain('prefers-color-scheme');
    expect(renderWidget(aPicture(), 'dark')).toContain('<div class="sluice cwdb-no-default-styles dark">');
    expect(renderWidget(aPicture(), 'light')).toContain('<div class="sluice cwdb-no-default-styles">');
  });

  it('the chart of a rule draws every second with deletes, and the rate limit', () => {
    const page = renderFragment(aPicture({ limiters: [aLimiter({ perSecond: [0, 3, 0, 5, 1] })] }));
    const [, bars = ''] = /class="deletes" d="([^"]*)"/.exec(page) ?? [];
    expect(bars.match(/M/g)).toHaveLength(3);
    expect(page.match(/class="rate"/g)).toHaveLength(1);
    expect(page).toContain('at most 5, rate limit 10 per second, burst 10');
  });
});
