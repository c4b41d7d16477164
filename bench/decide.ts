// Benchmarks decisions: 40,000 allocated devices with 100 name rules and 10 CEL rules, one slice, one pod's neighbourhood.
import { cpus, totalmem } from 'node:os';
import { evaluate, evaluatePod, preview } from '../lib/decide/evaluate.ts';
import { planLedger } from '../lib/decide/plan.ts';
import type { DeviceTaintRule, Pod, ResourceClaim, ResourceSlice } from '../lib/model/objects.ts';
import type { TaintRule } from '../lib/model/rule.ts';
import { type SnapshotObjects, snapshotOf } from '../lib/model/snapshot.ts';

const nodes = 5000;
const devicesPerNode = 8;
const ruleCount = 100;
const celRuleCount = 10;
const driver = 'gpu.example.com';
const taint = { key: 'example.com/unhealthy', value: 'yes', effect: 'NoExecute', timeAdded: Date.UTC(2026, 0, 1) };

/** Milliseconds. */
const targets = { fleet: 1000, neighbourhood: 0.2, celFleet: 1000, celSlice: 5 };

function meta(name: string) {
  return { name, uid: `uid-${name}`, resourceVersion: '1' };
}

function sliceOf(node: number): ResourceSlice {
  const devices = Array.from({ length: devicesPerNode }, (_, i) => ({
    name: `gpu-${i}`,
    attributes: {
      index: { int: node * devicesPerNode + i },
      model: { string: i % 2 === 0 ? 'A100-80GB' : 'A100-40GB' },
      driverVersion: { version: '550.54.14' },
    },
    capacity: { memory: { value: i % 2 === 0 ? '80Gi' : '40Gi' } },
  }));
  const pool = { name: `node-${node}`, generation: 1 };
  return { kind: 'ResourceSlice', ...meta(`slice-${node}`), driver, pool, devices };
}

function podOf(name: string): Pod {
  return {
    kind: 'Pod',
    ...meta(name),
    namespace: 'default',
    nodeName: 'node',
    resourceClaims: [{ name: 'gpu', resourceClaimName: name }],
    resourceClaimStatuses: [],
  };
}

function claimOf(pod: Pod, pool: string, devices: readonly string[]): ResourceClaim {
  const tolerations = [{ key: 'example.com/maintenance', operator: 'Exists', effect: 'NoExecute' }];
  return {
    kind: 'ResourceClaim',
    ...meta(pod.name),
    namespace: 'default',
    reservedFor: [{ resource: 'pods', name: pod.name, uid: pod.uid }],
    allocation: { devices: devices.map((device) => ({ request: 'gpu', driver, pool, device, tolerations })) },
  };
}

/** Rules for one device each, like those of automated tainters. */
function rulesByName(): readonly DeviceTaintRule[] {
  return Array.from({ length: ruleCount }, (_, i) => ({
    kind: 'DeviceTaintRule' as const,
    ...meta(`rule-${i}`),
    generation: 1,
    deviceSelector: { driver, pool: `node-${i * 7}`, device: `gpu-${i % devicesPerNode}` },
    taint,
  }));
}

/** Rules with three clauses that match a few hundred devices each. */
function rulesByExpression(): readonly TaintRule[] {
  return Array.from({ length: celRuleCount }, (_, i) => ({
    kind: 'PacedTaintRule' as const,
    ...meta(`cel-${i}`),
    generation: 1,
    deviceSelector: {
      selectors: [
        `device.attributes["${driver}"].model == "A100-80GB" && device.attributes["${driver}"].index % 100 == ${2 * i} && device.capacity["${driver}"].memory.compareTo(quantity("40Gi")) > 0`,
      ],
    },
    taint,
  }));
}

function fleet(): SnapshotObjects {
  const pods: Pod[] = [];
  const claims: ResourceClaim[] = [];
  const slices: ResourceSlice[] = [];
  for (let node = 0; node < nodes; node++) {
    slices.push(sliceOf(node));
    for (let i = 0; i < devicesPerNode; i++) {
      const pod = podOf(`pod-${node}-${i}`);
      pods.push(pod);
      claims.push(claimOf(pod, `node-${node}`, [`gpu-${i}`]));
    }
  }
  return { pods, claims, slices, rules: rulesByName() };
}

/** Median in milliseconds of several runs after warm-up runs. */
function measure(times: number, run: () => void): number {
  const took = Array.from({ length: times }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return took.slice(Math.floor(times / 3)).sort((a, b) => a - b)[Math.floor(times / 3)] ?? Number.NaN;
}

function decidePod(objects: SnapshotObjects, pod: Pod): void {
  const snapshot = snapshotOf(objects);
  const verdict = evaluatePod(pod, snapshot);
  planLedger({
    pod,
    gone: false,
    verdict,
    ledger: undefined,

    ruleSet: snapshot,
    now: taint.timeAdded,
  });
}

const objects = fleet();
const snapshot = snapshotOf(objects);
const evicted = [...evaluate(snapshot).values()].filter((verdict) => verdict.kind === 'EvictAt').length;
const build = measure(9, () => snapshotOf(objects));
const all = measure(15, () => evaluate(snapshot));
const wide: DeviceTaintRule = { kind: 'DeviceTaintRule', ...meta('all'), generation: 1, deviceSelector: {}, taint };
const dryRun = measure(9, () => preview(wide, snapshot));

const pod = podOf('one');
const claim = claimOf(
  pod,
  'node-0',
  Array.from({ length: devicesPerNode }, (_, i) => `gpu-${i}`),
);
const neighbourhood: SnapshotObjects = { pods: [pod], claims: [claim], slices: [sliceOf(0)], rules: rulesByName() };
const repeats = 100;
const one =
  measure(60, () => {
    for (let i = 0; i < repeats; i++) decidePod(neighbourhood, pod);
  }) / repeats;

const byExpression = rulesByExpression();
const celSnapshot = snapshotOf({ ...objects, rules: byExpression });
const celEvicted = [...evaluate(celSnapshot).values()].filter((verdict) => verdict.kind === 'EvictAt').length;
/** One edited rule: it is compiled again, the devices are cached. */
const rematch = measure(9, () => preview({ ...(byExpression[0] as TaintRule) }, celSnapshot));
const celAll = measure(9, () => evaluate(celSnapshot));
/** One changed slice: its devices are built again, the rules are cached. */
const celSlice = measure(60, () => {
  const changed = snapshotOf({ ...neighbourhood, slices: [sliceOf(0)], rules: byExpression });
  evaluatePod(pod, changed);
});

const [cpu] = cpus();
console.log(`machine: ${cpu?.model ?? 'unknown'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`);
console.log(`runtime: node ${process.version}`);
console.log(`${nodes * devicesPerNode} allocated devices against ${ruleCount} name rules (${evicted} pods to evict)`);
console.log(`  snapshot ${build.toFixed(1)} ms, evaluation ${all.toFixed(1)} ms (target ${targets.fleet} ms)`);
console.log(`  preview of an empty selector ${dryRun.toFixed(1)} ms`);
console.log(`one pod with ${devicesPerNode} devices: snapshot, evaluation and plan`);
console.log(`  ${one.toFixed(4)} ms (target ${targets.neighbourhood} ms)`);
console.log(
  `${nodes * devicesPerNode} allocated devices against ${celRuleCount} CEL rules (${celEvicted} pods to evict)`,
);
console.log(
  `  evaluation ${celAll.toFixed(1)} ms; one rule matched again ${rematch.toFixed(1)} ms (target ${targets.celFleet} ms)`,
);
console.log(`  one slice changed: its pod decided again ${celSlice.toFixed(3)} ms (target ${targets.celSlice} ms)`);
const isCelMet = rematch < targets.celFleet && celSlice < targets.celSlice;
const isMet = isCelMet && build + all < targets.fleet && one < targets.neighbourhood;
console.log(isMet ? 'targets met' : 'targets missed');
if (!isMet) process.exitCode = 1;
