// A small cluster and what happens in it, as data: the generator makes them, the player turns them into API calls.
import fc from 'fast-check';
import type { TaintSpec, TolerationSpec } from '../../lib/local/cluster/builders.ts';

/** Devices are numbered through all pools; each belongs to one. */
export interface WorldDevice {
  readonly pool: number;
  readonly taints: readonly TaintSpec[];
}

export interface WorldResult {
  readonly device: number;
  readonly tolerations: readonly TolerationSpec[];
  /** The result names a subrequest of `firstAvailable`. */
  readonly alternative: boolean;
}

export interface WorldClaim {
  readonly allocated: boolean;
  readonly results: readonly WorldResult[];
  /** Pods in status.reservedFor. */
  readonly reservedFor: readonly number[];
  /** An entry with the name of pod 0 and a UID that nobody has. */
  readonly stale: boolean;
}

export interface WorldPod {
  readonly bound: boolean;
  readonly claims: readonly number[];
}

export type WorldSelector =
  | { readonly kind: 'Absent' | 'Driver' | 'OtherDriver' | 'All' }
  | { readonly kind: 'Pool' | 'PoolOfDriver'; readonly pool: number }
  | { readonly kind: 'Device' | 'DeviceOfDriver'; readonly device: number };

export interface WorldRule {
  readonly selector: WorldSelector;
  readonly taint: TaintSpec;
}

export type Step =
  | { readonly op: 'Taint'; readonly device: number; readonly taints: readonly TaintSpec[] }
  /** A new generation of the pool without some of its devices. */
  | { readonly op: 'Republish'; readonly pool: number; readonly without: readonly number[] }
  | { readonly op: 'DropSlice'; readonly pool: number }
  | { readonly op: 'AddRule'; readonly rule: WorldRule }
  | { readonly op: 'EditRule'; readonly rule: number; readonly taint: TaintSpec }
  | { readonly op: 'DropRule'; readonly rule: number }
  | { readonly op: 'AddPod'; readonly pod: WorldPod }
  | { readonly op: 'Bind' | 'Delete'; readonly pod: number }
  | { readonly op: 'Allocate' | 'Deallocate'; readonly claim: number }
  | { readonly op: 'Reserve' | 'Release'; readonly claim: number; readonly pod: number };

export interface World {
  readonly pools: number;
  readonly devices: readonly WorldDevice[];
  readonly claims: readonly WorldClaim[];
  readonly pods: readonly WorldPod[];
  readonly rules: readonly WorldRule[];
  readonly history: readonly Step[];
}

const most = { pools: 2, devices: 4, claims: 3, pods: 4, rules: 3 } as const;
const index = (below: number) => fc.nat({ max: below - 1 });
const keys = ['example.com/a', 'example.com/b'];
const key = fc.constantFrom(...keys);
const value = fc.constantFrom(undefined, '', 'x');
const defined = <T extends object>(object: T): T =>
  Object.fromEntries(Object.entries(object).filter(([, member]) => member !== undefined)) as T;

/** Mostly NoExecute, since nothing else evicts. */
const effect = fc.constantFrom('NoExecute', 'NoExecute', 'NoExecute', 'NoSchedule', 'None');
const taint = fc.record({ key, value, effect }).map((one) => defined(one) as TaintSpec);
const taints = fc.uniqueArray(taint, { maxLength: 2, selector: (one) => `${one.key} ${one.effect}` });

/** 4 s come due within a step, 600 s never do; only NoExecute may have them (API validation). */
const toleration = fc
  .record({
    key: fc.constantFrom(...keys, undefined),
    operator: fc.constantFrom('Exists' as const, 'Equal' as const),
    value,
    effect: fc.constantFrom('NoExecute', 'NoExecute', 'NoSchedule', undefined),
    tolerationSeconds: fc.constantFrom(undefined, undefined, 0, 4, 600),
  })
  .map((one): TolerationSpec => {
    const operator = one.key === undefined ? 'Exists' : one.operator;
    const timed = one.effect === 'NoExecute' ? { tolerationSeconds: one.tolerationSeconds } : {};
    const compared = operator === 'Equal' ? { value: one.value } : {};
    return defined({ key: one.key, operator, effect: one.effect, ...compared, ...timed }) as TolerationSpec;
  });

const claim: fc.Arbitrary<WorldClaim> = fc.record({
  allocated: fc.boolean(),
  results: fc.uniqueArray(
    fc.record({
      device: index(most.devices),
      tolerations: fc.array(toleration, { maxLength: 2 }),
      alternative: fc.boolean(),
    }),
    { minLength: 1, maxLength: 2, selector: ({ device }) => device },
  ),
  reservedFor: fc.uniqueArray(index(most.pods), { maxLength: 3 }),
  stale: fc.constantFrom(false, false, false, true),
});

const pod: fc.Arbitrary<WorldPod> = fc.record({
  bound: fc.constantFrom(true, true, false),
  claims: fc.uniqueArray(index(most.claims), { minLength: 1, maxLength: 2 }),
});

const selector: fc.Arbitrary<WorldSelector> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'Absent' } as const, { kind: 'OtherDriver' } as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'Driver' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('Pool' as const, 'PoolOfDriver' as const), pool: index(most.pools) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('Device' as const, 'DeviceOfDriver' as const),
      device: index(most.devices),
    }),
  },
);
const rule: fc.Arbitrary<WorldRule> = fc.record({ selector, taint });

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ op: fc.constant('Taint' as const), device: index(most.devices), taints }),
  fc.record({
    op: fc.constant('Republish' as const),
    pool: index(most.pools),
    without: fc.uniqueArray(index(most.devices), { maxLength: 1 }),
  }),
  fc.record({ op: fc.constant('DropSlice' as const), pool: index(most.pools) }),
  fc.record({ op: fc.constant('AddRule' as const), rule }),
  fc.record({ op: fc.constant('EditRule' as const), rule: index(most.rules), taint }),
  fc.record({ op: fc.constant('DropRule' as const), rule: index(most.rules) }),
  fc.record({ op: fc.constant('AddPod' as const), pod }),
  fc.record({ op: fc.constantFrom('Bind' as const, 'Delete' as const), pod: index(most.pods) }),
  fc.record({ op: fc.constantFrom('Allocate' as const, 'Deallocate' as const), claim: index(most.claims) }),
  fc.record({
    op: fc.constantFrom('Reserve' as const, 'Release' as const),
    claim: index(most.claims),
    pod: index(most.pods),
  }),
);

/** Valid to an API server; a step that does not fit (a rule that is gone) is refused by both sides alike. */
export const worlds: fc.Arbitrary<World> = fc.record({
  pools: fc.integer({ min: 1, max: most.pools }),
  devices: fc.array(fc.record({ pool: index(most.pools), taints }), {
    minLength: most.devices,
    maxLength: most.devices,
  }),
  claims: fc.array(claim, { minLength: most.claims, maxLength: most.claims }),
  pods: fc.array(pod, { minLength: 1, maxLength: most.pods }),
  rules: fc.array(rule, { maxLength: 2 }),
  history: fc.array(step, { maxLength: 5 }),
});

/** One rule over every device of the cluster: such a world is played alone. */
export const worldsOfAll: fc.Arbitrary<World> = worlds.map((world) => {
  const [first = { selector: { kind: 'All' }, taint: { key: 'example.com/a', effect: 'NoExecute' } }, ...rest] =
    world.rules;
  return { ...world, rules: [{ ...first, selector: { kind: 'All' } }, ...rest] };
});
