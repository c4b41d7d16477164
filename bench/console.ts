// Measures what the console's map costs with 40,000 devices, 38,000 of them in use: the model, the page, and memory over many updates.
import { cpus } from 'node:os';
import type { ResourceClaim, ResourceSlice } from '../lib/model/objects.ts';
import type { TaintRule } from '../lib/model/rule.ts';
import { defaultSettings, poolsOf, type Snapshot, settingsFor } from '../lib/model/snapshot.ts';
import { fleetOf } from '../lib/view/console/fleet.ts';
import { fleetPage } from '../lib/view/console/fleetPage.ts';

const [nodes, devicesPerNode, inUse, updates] = [5000, 8, 38_000, 300];
const driver = 'gpu.example.com';
/** Milliseconds for an update, and elements of its page. */
const targets = { update: 100, elements: 5000 };

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
const snapshot: Snapshot = { pods: [], claims, pools: poolsOf(slices), rules: [rule], settings };

function update(i: number): { readonly took: number; readonly html: string } {
  const began = performance.now();
  claims.set(`claim-${i}`, claimOf(i));
  const devices = fleetOf({ snapshot, nodeOf: () => undefined, now: i, isStopped: false });
  const page = fleetPage(devices, { by: 'node', search: '', page: 1 }, () => true);
  const html = page.regions.map((region) => region.html.markup).join('');
  return { took: performance.now() - began, html };
}

const first = update(0);
for (let i = 1; i < 20; i++) update(i);
const heapBefore = process.memoryUsage().heapUsed;
const took = Array.from({ length: updates }, (_, i) => update(i).took).sort((a, b) => a - b);
const figures = {
  cpus: cpus().length,
  firstMs: Math.round(first.took),
  updateP50Ms: Math.round(took[updates / 2] ?? 0),
  updateP95Ms: Math.round(took[Math.floor(updates * 0.95)] ?? 0),
  kilobytes: Math.round(first.html.length / 1024),
  elements: (first.html.match(/<[a-z]/g) ?? []).length,
  heapGrowthMiB: Math.round((process.memoryUsage().heapUsed - heapBefore) / 1024 / 1024),
};
console.log(JSON.stringify({ figures, targets }));
if (figures.updateP50Ms > targets.update || figures.elements > targets.elements) process.exitCode = 1;
