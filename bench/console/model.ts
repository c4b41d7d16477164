// Benchmarks the console's map without a browser, with 40,000 devices, 38,000 in use: model, page and memory.
import type { ResourceClaim, ResourceSlice } from '../../lib/model/objects.ts';
import { createRecall } from '../../lib/model/recall.ts';
import type { TaintRule } from '../../lib/model/rule.ts';
import { defaultSettings, poolsOf, type Snapshot, settingsFor } from '../../lib/model/snapshot.ts';
import { createFleetReader } from '../../lib/view/console/fleet.ts';
import { fleetPage } from '../../lib/view/console/fleetPage.ts';
import { createGroupReader } from '../../lib/view/console/groups.ts';
import { htmlOf } from '../../lib/view/markup.ts';

const [nodes, devicesPerNode, inUse, updates] = [5000, 8, 38_000, 300];
const driver = 'gpu.example.com';
const meta = (name: string) => ({ name, uid: `uid-${name}`, resourceVersion: '1' });

function claimOf(i: number): ResourceClaim {
  const [pool, device] = [`node-${Math.floor(i / devicesPerNode)}`, `gpu-${i % devicesPerNode}`];
  const devices = [{ request: 'gpu', driver, pool, device, deviceClassName: 'gpu' }];
  return {
    kind: 'ResourceClaim',
    namespace: `team-${i % 20}`,
    ...meta(`claim-${i}`),
    reservedFor: [],
    allocation: { devices },
  };
}

export interface ModelFigures {
  readonly firstMs: number;
  readonly updateP50Ms: number;
  readonly updateP95Ms: number;
  readonly kilobytes: number;
}

export function measureModel(): ModelFigures {
  const update = createUpdate();
  const first = update(0);
  for (let i = 1; i < 20; i++) update(i);
  const took = Array.from({ length: updates }, (_, i) => update(i).took).sort((a, b) => a - b);
  return {
    firstMs: Math.round(first.took),
    updateP50Ms: Math.round(took[updates / 2] ?? 0),
    updateP95Ms: Math.round(took[Math.floor(updates * 0.95)] ?? 0),
    kilobytes: Math.round(first.html.length / 1024),
  };
}

function createUpdate(): (i: number) => { readonly took: number; readonly html: string } {
  const slices = Array.from({ length: nodes }, (_, node): ResourceSlice => {
    const devices = Array.from({ length: devicesPerNode }, (_, i) => ({ name: `gpu-${i}` }));
    return {
      kind: 'ResourceSlice',
      ...meta(`slice-${node}`),
      driver,
      pool: { name: `node-${node}`, generation: 1 },
      devices,
    };
  });
  const claims = new Map(Array.from({ length: inUse }, (_, i) => [`claim-${i}`, claimOf(i)]));
  const taint = { key: 'example.com/unhealthy', effect: 'NoExecute', timeAdded: 0 };
  const deviceSelector = { driver, pool: 'node-7' };
  const rule: TaintRule = { kind: 'DeviceTaintRule', ...meta('unhealthy'), generation: 1, deviceSelector, taint };
  const settings = settingsFor(defaultSettings, { podGroups: false });
  const snapshot: Snapshot = {
    pods: [],
    claims,
    pools: poolsOf(slices),
    rules: [rule],
    settings,
    recall: createRecall(),
  };

  const [readFleet, readGroups] = [createFleetReader(), createGroupReader()];

  return (i) => {
    const began = performance.now();
    claims.set(`claim-${i}`, claimOf(i));
    const fleet = readFleet({ snapshot, nodesOf: () => undefined, now: i, isStopped: false });
    const page = fleetPage(
      readGroups(fleet, 'node'),
      { by: 'node', search: '', page: 1 },
      { may: () => true, made: new Set() },
    );
    const html = page.regions.map((region) => htmlOf(region.html)).join('');
    return { took: performance.now() - began, html };
  };
}
