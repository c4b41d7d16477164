// `sluice convert` for any rule: the converted rule never evicts by another taint, from another device or faster.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { project } from '../../lib/adapters/kubernetes/project.ts';
import { convertManifest } from '../../lib/commands/convertManifest.ts';
import { holdOf } from '../../lib/decide/hold.ts';
import { rateUnheld } from '../../lib/decide/rate.ts';
import { taintRulesOf } from '../../lib/decide/ruleTaints.ts';
import { selects } from '../../lib/decide/select.ts';
import type { AnyRule } from '../../lib/model/rule.ts';

const now = Date.UTC(2026, 10, 22);
const rate = 'sluice.dev/evictions-per-second';
const burst = 'sluice.dev/burst';
const expiresAt = 'sluice.dev/expires-at';

const native = (spec: object, annotations: object) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name: 'r', annotations },
  spec,
});
const paced = (spec: object, annotations: object) => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'r', annotations },
  spec,
});

const pools = ['p', 'q'];
const devices = ['gpu.example.com', 'nic.example.com'].flatMap((driver) =>
  pools.flatMap((pool) => ['x', 'y'].map((device) => ({ driver, pool, device }))),
);

/** The effect of a stored manifest: the rate at which pods may be evicted, by taint and device. */
function actionsOf(manifest: object & { readonly kind: string; readonly metadata: object }) {
  const stored = { ...manifest, metadata: { ...manifest.metadata, uid: 'uid', resourceVersion: '1', generation: 1 } };
  const read = project(manifest.kind as AnyRule['kind'], stored);
  if (read.kind === 'Unreadable') return new Map<string, number>();
  const rules = taintRulesOf(read.object as AnyRule).filter((rule) => rule.taint.effect === 'NoExecute');
  const acting = rules.filter((rule) => holdOf(rule, now) === undefined && rateUnheld(rule).burst > 0);
  return new Map(
    acting.flatMap((rule) =>
      devices
        .filter((device) => selects(rule.deviceSelector, device))
        .map((device) => [`${rule.taint.key} ${Object.values(device)}`, rateUnheld(rule).perSecond] as const),
    ),
  );
}

/** Mostly valid or absent, so that some whole rules are valid. */
const odd = <T>(...good: readonly T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 6, arbitrary: fc.constantFrom<unknown>(...good) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(
        ...['', ' ', '1e3', ' 0x10 ', '0', '-1', 'soon', '99999', '2030-01-01'],
        ...[null, 0, 1e300, true, false, {}, []],
        ...['2026-11-31T00:00:00Z', '2020-01-01T00:00:00Z'],
      ),
    },
  );
const texts = (...good: readonly string[]) => odd(...good);
const annotations = fc.record({
  [rate]: texts('5', '0.5'),
  [burst]: texts('5'),
  [expiresAt]: texts('2030-01-01T00:00:00Z'),
  'sluice.dev/paused': texts('true', 'false'),
  'pause.sluice.dev/night': fc.option(fc.constant('why'), { nil: undefined }),
});
const selector = fc.record({
  driver: odd('gpu.example.com', 'nic.example.com'),
  pool: odd('p', 'q'),
  device: odd('x', 'y'),
});
const deviceSelector = fc.oneof(
  selector,
  fc.constantFrom<unknown>(undefined, null, {}, [], 'all', { all: true }, { all: false }, { all: true, pool: 'p' }),
);
const mostly = (good: string, ...rare: readonly unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>(good) }, { weight: 1, arbitrary: fc.constantFrom(...rare) });
const taints = fc.record({
  key: mostly('example.com/bad', 3, '', 'k8s.io/x'),
  effect: mostly('NoExecute', 'NoSchedule', 'Foo', 3),
  timeAdded: odd('2026-11-20T10:00:00Z'),
});
const manifests = fc.oneof(
  fc
    .tuple(deviceSelector, taints, annotations)
    .map(([of, one, said]) => native({ deviceSelector: of, taint: one }, said)),
  fc
    .record({
      deviceSelector,
      taints: fc.array(fc.record({ base: taints, evictionsPerSecond: odd(5, 0.5), burst: odd(5) }), {
        minLength: 1,
        maxLength: 2,
      }),
      paused: odd(true, false),
      expiresAt: odd('2030-01-01T00:00:00Z'),
      said: annotations,
    })
    .map(({ said, taints: list, ...spec }) =>
      paced({ ...spec, taints: list.map(({ base, ...pace }) => ({ ...base, ...pace })) }, said),
    ),
);
/** As a file contains it: without undefined members. */
const written = manifests.map((manifest) => JSON.parse(JSON.stringify(manifest)) as typeof manifest);

it('a converted rule never evicts by another taint, from another device or faster than the original', () => {
  let converted = 0;
  fc.assert(
    fc.property(written, (manifest) => {
      const conversion = convertManifest(manifest);
      if (conversion.kind !== 'Converted') return;
      converted++;
      const before = actionsOf(manifest);
      for (const after of conversion.manifests)
        for (const [action, perSecond] of actionsOf(after as typeof manifest))
          expect({ action, perSecond }).toEqual({ action, perSecond: before.get(action) });
    }),
    { numRuns: 3000 },
  );
  expect(converted).toBeGreaterThan(300);
});
