// A frame of the demo: it fits any terminal, uses its height, and takes every number from one snapshot.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleLength } from '../../lib/view/ink.ts';
import { renderScreen, scrolled } from '../../lib/view/screen.ts';
import type { DeviceState, FleetSnapshot, Overlay, ScreenSnapshot } from '../../lib/view/screenSnapshot.ts';
import { aLimiter, anEviction, aPicture, at } from './pictures.ts';

const count = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200_000 }));
const limiter = fc
  .record({
    name: fc.string({ minLength: 1, maxLength: 80 }),
    counts: fc.record({ evicted: count, deleting: count, pending: count, waiting: count }),
    state: fc.constantFrom('Evicting', 'Waiting', 'Completed', 'NotStarted', 'Stopped', 'NoEffect'),
    heldBecause: fc.option(fc.string({ maxLength: 200 }), { nil: undefined }),
    done: fc.option(fc.record({ pods: count, took: count, missed: count }), { nil: undefined }),
  })
  .map(({ heldBecause, done, ...by }) =>
    aLimiter({
      ...by,
      total: Object.values(by.counts).reduce((sum, one) => sum + one, 0),
      ...(heldBecause === undefined ? {} : { heldBecause }),
      ...(done === undefined ? {} : { done }),
    }),
  );
const eviction = fc
  .record({ name: fc.string({ maxLength: 80 }), node: fc.string({ maxLength: 40 }) })
  .map(({ name, node }) => anEviction({ node, pod: { namespace: 'ns', name, uid: name } }));
const states: readonly DeviceState[] = ['Free', 'InUse', 'Tainted', 'ToEvict', 'Evicting'];
const fleet = fc.record({
  nodes: fc.array(
    fc.record({
      name: fc.string({ maxLength: 20 }),
      group: fc.constantFrom('gpu.example.com', 'rack-a'),
      devices: fc.array(fc.constantFrom(...states), { maxLength: 16 }),
    }),
    { maxLength: 60 },
  ),
  teams: fc.array(fc.record({ name: fc.string({ maxLength: 12 }), running: count, waiting: count }), { maxLength: 5 }),
});
const text = fc.string({ maxLength: 300 });
const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const snapshot: fc.Arbitrary<ScreenSnapshot> = fc
  .record({
    limiters: fc.array(limiter, { maxLength: 12 }),
    last: fc.array(eviction, { maxLength: 50 }),
    fleet: some(fleet),
    chapter: some(fc.record({ act: fc.constantFrom(1, 2, 3), title: text, watch: text, until: some(count) })),
    loading: some(fc.record({ step: text, done: count, of: count })),
    overlay: some(
      fc.record(
        { title: text, lines: fc.array(text, { maxLength: 40 }), from: fc.nat(39) },
        { requiredKeys: ['title', 'lines'] },
      ),
    ),
    message: some(text),
    pausedBy: some(text),
    footer: fc.array(text, { maxLength: 5 }),
  })
  .map(({ limiters, last, ...rest }) => {
    const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    return { at, progress: aPicture({ limiters, last }), ...present } as ScreenSnapshot;
  });

const sizes = [
  { width: 79, height: 23 },
  { width: 119, height: 39 },
  { width: 199, height: 59 },
];

const someFleet: FleetSnapshot = {
  nodes: Array.from({ length: 40 }, (_, i) => ({
    name: `gpu-${i}`,
    group: 'gpu.example.com',
    devices: Array.from({ length: 8 }, (_, k): DeviceState => (k < 5 ? 'InUse' : 'Free')),
  })),
  teams: [{ name: 'vision', running: 200, waiting: 0 }],
};

function aSnapshot(overrides: Partial<ScreenSnapshot> = {}): ScreenSnapshot {
  const chapter = {
    act: 1,
    title: 'A bad driver version',
    watch: 'Watch: the canary holds.',
    until: at + 3200,
  } as const;
  const last = Array.from({ length: 50 }, () => anEviction());
  return { at, progress: aPicture({ last }), fleet: someFleet, chapter, footer: ['q quit'], ...overrides };
}

const plain = (of: ScreenSnapshot, size = { width: 119, height: 39 }) => renderScreen(of, { ...size, color: false });

describe('a frame', () => {
  it('a frame has exactly the height of the terminal and no line wider than it', () => {
    const look = fc.record({
      width: fc.integer({ min: 20, max: 200 }),
      height: fc.integer({ min: 6, max: 60 }),
      color: fc.boolean(),
    });
    fc.assert(
      fc.property(snapshot, look, (of, by) => {
        const lines = renderScreen(of, by);
        expect(lines).toHaveLength(by.height);
        for (const line of lines) expect(visibleLength(line)).toBeLessThanOrEqual(by.width);
        if (!by.color) for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  it('a frame has the same text with colours as without', () => {
    const strip = (line: string) => line.replaceAll(/\p{Cc}\[[0-9;]*m/gu, '');
    fc.assert(
      fc.property(snapshot, (of) => {
        const colored = renderScreen(of, { width: 119, height: 39, color: true });
        expect(colored.map(strip)).toEqual(plain(of));
      }),
    );
  });

  it.each(sizes)('a frame of $width by $height shows the act, the fleet, a rule with its bar and the keys', (size) => {
    const shown = plain(aSnapshot(), size).join('\n');
    for (const part of ['Act 1 of 3', 'the canary holds. (4 s)', '40 nodes, 320 devices', '200 in use', 'q quit'])
      expect(shown).toContain(part);
    expect(shown).toMatch(/bad-gpus +Evicting +█/);
    expect(shown).toContain('Last evictions');
  });

  it('a frame counts every device of the fleet in exactly one state', () => {
    fc.assert(
      fc.property(fleet, (of) => {
        const text = plain({ at, progress: aPicture({}), fleet: of, footer: [] }, { width: 199, height: 59 });
        const [, shown = '0'] = /, ([\d,]+) devices?/.exec(text.join('\n')) ?? [];
        const legend = text.find((line) => /^(■|▁█) /.test(line) && line.includes(' free')) ?? '';
        const numbers = [...legend.matchAll(/\d+/g)].map(Number);
        expect(numbers).toHaveLength(states.length);
        expect(numbers.reduce((sum, one) => sum + one, 0)).toBe(Number(shown));
      }),
    );
  });

  it('a frame fills a tall terminal with a cell per device and with evictions', () => {
    const lines = plain(aSnapshot(), { width: 119, height: 39 });
    expect(lines.filter((line) => line.startsWith('■ ■'))).toHaveLength(5);
    expect(lines.filter((line) => line.includes('ns/pod-1')).length).toBeGreaterThan(8);
    expect(lines.slice(5, -1).filter((line) => line === '').length).toBeLessThanOrEqual(4);
  });

  it('a frame shows a bar and no numbers of the cluster until the cluster is known', () => {
    const loading = { step: 'The functions store the objects of the cluster.', done: 100, of: 400 };
    const shown = plain(aSnapshot({ loading })).join('\n');
    expect(shown).toContain('The cluster is not known yet');
    expect(shown).toMatch(/█+·+ {2}100 of 400/);
    expect(shown).not.toMatch(/evicted|devices/);
  });

  it('a small terminal shows the whole sentence and the bar while the cluster is loaded', () => {
    const loading = { step: 'The functions store the objects of the cluster.', done: 100, of: 400 };
    const shown = plain(aSnapshot({ loading, footer: ['keys', 'page', 'export', 'kubectl'] }), {
      width: 40,
      height: 12,
    });
    expect(shown.join(' ')).toContain('so there are no numbers to show. The functions store the objects');
    expect(shown.some((line) => line.includes('100 of 400'))).toBe(true);
  });

  it('a bar moves while it is not known how much there is to load', () => {
    const loading = { step: 'Building.', done: 0, of: 0 };
    const bars = Array.from({ length: 60 }, (_, i) =>
      plain(aSnapshot({ loading, at: at + i * 120 })).find((line) => line.includes('···')),
    );
    expect(new Set(bars).size).toBeGreaterThan(40);
    expect(new Set(bars.map((bar = '') => bar.trimEnd().length)).size).toBe(1);
  });

  it('the answer to a key that does not fit into the terminal says how many lines are left out', () => {
    const overlay = { title: 'Why?', lines: Array.from({ length: 40 }, (_, i) => `line ${i}`) };
    const shown = plain(aSnapshot({ overlay }), { width: 80, height: 24 });
    const listed = shown.filter((line) => /^line \d+/.test(line)).length;
    expect(listed).toBeGreaterThan(14);
    expect(shown).toContain(`↓ ${40 - listed} more lines`);
    expect(plain(aSnapshot({ overlay }), { width: 80, height: 60 }).join('\n')).toContain('line 39');
  });

  it('a small terminal shows the pause before the act, and an answer on all of its lines', () => {
    const chapter = { act: 1, title: 'A bad driver', watch: 'Watch: Sluice evicts the pods.' } as const;
    const pausedBy = 'EvictionStop a (disks fail)';
    const paused = plain(aSnapshot({ chapter, pausedBy }), { width: 39, height: 9 }).join(' ');
    expect(paused).toContain('Paused by EvictionStop a (disks fail): no pod is evicted.');
    expect(paused).not.toContain('Watch:');
    const overlay = { title: 'Keys', lines: Array.from({ length: 20 }, (_, i) => `line ${i}`) };
    const shown = plain(aSnapshot({ overlay }), { width: 39, height: 9 });
    expect(shown.filter((line) => /^line \d/.test(line))).toHaveLength(7);
  });

  it('an answer that the arrow keys have moved says how many lines are above it, and reaches its last line', () => {
    const overlay = { title: 'Why?', lines: Array.from({ length: 40 }, (_, i) => `line ${i}`) };
    const down = Array.from({ length: 60 }).reduce<Overlay>((one) => scrolled(one, 1), overlay);
    const shown = plain(aSnapshot({ overlay: down }), { width: 80, height: 24 });
    expect(shown).toContain('↑ 39 lines above');
    expect(shown).toContain('line 39');
    expect(plain(aSnapshot({ overlay: scrolled(scrolled(overlay, 1), -1) }))).toEqual(plain(aSnapshot({ overlay })));
    expect(scrolled(overlay, -1).from).toBe(0);
  });

  it('a small terminal shows keys and the kubeconfig in full, and no command that is cut', () => {
    const keys = 't taint  p pause  r/R rate  a approve  w why  ? help  q quit';
    const kubeconfig = 'export KUBECONFIG=/tmp/sluice-cluster-A9wJXF/kubeconfig';
    const get = 'kubectl get pacedtaintrules,evictionpolicies';
    const chapter = { act: 1, title: 'A bad driver', watch: 'Watch: Sluice evicts the pods.' } as const;
    const footer = [keys, 'page http://127.0.0.1:46409/', kubeconfig, get];
    const shown = plain(aSnapshot({ chapter, footer }), { width: 40, height: 12 });
    expect(shown.slice(-5, -3)).toEqual(['t taint  p pause  r/R rate  a approve', 'w why  ? help  q quit']);
    expect(shown.slice(-2).join('')).toBe(kubeconfig);
    expect(shown.join(' ')).toContain('Watch: Sluice evicts the pods.');
    expect(shown.some((line) => line.includes('kubectl get'))).toBe(false);
    expect(plain(aSnapshot({ footer }), { width: 80, height: 24 }).slice(-4)).toEqual(footer);
  });

  it('a strip of the fleet says what a bar means, and a map has no bars', () => {
    const meaning = 'a bar: share of its devices in use';
    expect(plain(aSnapshot(), { width: 80, height: 24 }).join('\n')).toContain(meaning);
    expect(plain(aSnapshot(), { width: 119, height: 39 }).join('\n')).not.toContain(meaning);
  });

  it('a frame keeps the result of a finished rule', () => {
    const counts = { evicted: 89, deleting: 0, pending: 0, waiting: 0 };
    const done = { pods: 89, took: 9300, missed: 0 };
    const limiters = [aLimiter({ state: 'Completed', counts, total: 89, done })];
    for (const size of sizes)
      expect(plain(aSnapshot({ progress: aPicture({ limiters }) }), size).join('\n')).toContain(
        'done: 89 pods in 9.3 s, 9.6/s, 0 missed',
      );
  });

  it.each(sizes)('a frame of $width by $height says how long a finished rule took, even next to a held one', (size) => {
    const counts = { evicted: 47, deleting: 0, pending: 0, waiting: 0 };
    const done = { pods: 47, took: 14_000, missed: 0 };
    const limiters = [
      aLimiter({
        name: 'held',
        heldBecause: 'Outside the windows of EvictionPolicy p: they open at 2026-11-23T20:30:00Z',
      }),
      aLimiter({ name: 'finished', state: 'Completed', counts, total: 47, done }),
    ];
    const shown = plain(aSnapshot({ progress: aPicture({ limiters, last: [anEviction()] }) }), size).join('\n');
    expect(shown).toMatch(/finished .* 47 evicted .*in 14 s/);
    expect(shown).toContain('2026-11-23T20:30:00Z');
  });

  it.each(sizes)('a frame of $width by $height says why a rule is held, even next to a finished one', (size) => {
    const counts = { evicted: 89, deleting: 0, pending: 0, waiting: 0 };
    const done = aLimiter({ name: 'old', state: 'Completed', counts, total: 89 });
    const held = aLimiter({ heldBecause: 'too many devices were tainted at once' });
    const watch = 'Watch: so many at once may be a broken agent, so Sluice holds them. Press a to approve. '.repeat(2);
    const chapter = { act: 2, title: 'A health agent in doubt', watch } as const;
    const footer = ['t taint  p pause', 'page', 'export KUBECONFIG', 'kubectl get'];
    const progress = aPicture({ limiters: [held, done], last: Array.from({ length: 50 }, () => anEviction()) });
    expect(plain(aSnapshot({ progress, chapter, footer }), size).join('\n')).toContain(
      'held: too many devices were tainted at once',
    );
  });

  it('a frame says that a rule is paused without calling it held', () => {
    const progress = aPicture({ limiters: [aLimiter({ heldBecause: 'Paused by audit (until Monday)' })] });
    const text = plain(aSnapshot({ progress })).join('\n');
    expect(text).toMatch(/ Paused .* paused\n {2}paused by audit \(until Monday\)/);
    expect(text).not.toMatch(/held/i);
  });

  it('a frame shows a long reason in full if it is tall enough, and an ellipsis where a line is cut', () => {
    const heldBecause = `Canary of EvictionPolicy driver-canary: ${'3 pods evicted, '.repeat(8)}the end`;
    const progress = aPicture({ limiters: [aLimiter({ heldBecause })], last: [anEviction()] });
    const high = plain(aSnapshot({ progress }), { width: 79, height: 39 }).join(' ').replaceAll(/ +/g, ' ');
    expect(high).toContain(heldBecause);
    const low = plain(aSnapshot({ progress }), { width: 40, height: 12 });
    const reason = low.slice(low.findIndex((line) => line.includes('held: Canary')));
    expect(reason.findLast((line) => line.startsWith('  '))).toMatch(/…$/);
    expect(low.every((line) => line.length <= 40)).toBe(true);
  });

  it('a frame says what pauses everything, who and since when, and names the key that resumes', () => {
    const pausedBy = 'EvictionStop a (disks fail; by kubectl at 2026-01-01T12:00:00Z)';
    const shown = plain(aSnapshot({ pausedBy })).join(' ').replaceAll(/ +/g, ' ');
    expect(shown).toContain(`Paused by ${pausedBy}: no pod is evicted. Press p to resume.`);
  });

  it('a frame says whose pods are kept because their namespaces are paused', () => {
    const shown = plain(aSnapshot({ pausedNamespaces: ['serving (sluice.dev/paused)', 'batch (audit)'] })).join(' ');
    expect(shown.replaceAll(/ +/g, ' ')).toContain(
      'Pods of paused namespaces are kept: serving (sluice.dev/paused), batch (audit).',
    );
  });

  it('a frame shows an explanation in place of the last evictions', () => {
    const overlay = { title: 'Why was ns/pod-1 evicted?', lines: ['ns/pod-1 was evicted', '  by DeviceTaintRule bad'] };
    const shown = plain(aSnapshot({ overlay })).join('\n');
    expect(shown).toContain('by DeviceTaintRule bad');
    expect(shown).not.toContain('Last evictions');
  });
});
