// How high each page is on a phone while a policy holds the taints of act 2 of the demo: a banner with its button, and a card that waits.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { project } from '../../../lib/adapters/kubernetes/project.ts';
import { policyHeld } from '../../../lib/decide/sliceApproval.ts';
import { describeWave, wavesWaiting } from '../../../lib/decide/waveText.ts';
import { doubtful } from '../../../lib/local/demo/acts.ts';
import { demoManifests, populateDemo } from '../../../lib/local/demo/demo.ts';
import { readDevices } from '../../../lib/local/demo/devices.ts';
import { type Simulation, startSimulation } from '../../../lib/local/simulation.ts';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';
import type { Wave } from '../../../lib/model/wave.ts';
import { aLimiter, anEviction, aPicture } from '../../view/pictures.ts';
import { type ConsoleBrowser, openConsoleBrowser, standingTable, takePicture } from '../support/consoleBrowser.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const driver = 'tpu.example.com';
const key = 'example.com/unhealthy';
let simulation: Simulation;
let shown: ConsoleBrowser;

beforeAll(async () => {
  simulation = await startSimulation({ manifests: demoManifests });
  const { cluster } = simulation;
  populateDemo(simulation).stop();
  const { rack, manifest } = doubtful(readDevices(cluster));
  cluster.seed(manifest);
  const now = Date.now();
  const wave: Wave = {
    policy: 'agents-in-doubt',
    key,
    scope: { kind: 'Pool', driver, pool: rack },
    sources: [],
    from: now,
    to: now,
    devices: 20,
    total: 40,
    offers: [{ digest: '0123456789ab', devices: 20 }],
  };
  const resource = cluster.resource('evictionpolicies');
  const policy = cluster.store.list(resource).find(({ metadata }) => metadata.name === 'agents-in-doubt');
  if (!policy) throw new Error('the demo has no policy agents-in-doubt');
  const read = project('EvictionPolicy', policy);
  const known = read.kind === 'Projected' ? (read.object as EvictionPolicy) : undefined;
  const held = known && policyHeld(known, { parts: [wavesWaiting(known, [wave])], kept: [] });
  if (!held) throw new Error('the policy does not hold the wave');
  const lastTransitionTime = new Date(now).toISOString();
  const conditions = [{ type: 'sluice.dev/Held', status: 'True', ...held, lastTransitionTime }];
  cluster.store.put(resource, { ...policy, status: { conditions } });
  const waiting = { evicted: 0, deleting: 0, pending: 0, waiting: 13 };
  const { nextAt, finishAt, ...slice } = aLimiter({
    limiter: `slice|${driver}|${key}|no-heartbeat|NoExecute`,
    kind: 'Slice',
    name: driver,
    place: 'DeviceTaintSlice tpu-health-agent',
    selector: `driver ${driver}`,
    taint: `${key}=no-heartbeat:NoExecute`,
    state: 'Waiting',
    counts: waiting,
    total: 13,
    rate: { perSecond: 4, burst: 1 },
    perSecond: Array(120).fill(0),
    heldBecause: `${describeWave(wave)}: see EvictionPolicy agents-in-doubt`,
  });
  const done = aLimiter({ name: 'bad-driver', state: 'Completed', total: 47 });
  const last = Array.from({ length: 47 }, () => anEviction());
  const progress = aPicture({ limiters: [slice, done], plans: [], pods: waiting, last });
  shown = await openConsoleBrowser({ kubeconfigYaml: cluster.kubeconfigYaml, table: standingTable(progress) });
  await shown.server.shows('/rules', 'Held: EvictionPolicy agents-in-doubt');
});

afterAll(async () => {
  await shown?.stop();
  await simulation?.stop();
});

/** The taint of the agent, in addresses. */
const taint = `${driver}/${key}=no-heartbeat:NoExecute`.split('/').map(encodeURIComponent).join('/');

it.each([
  '/rules',
  '/fleet',
  '/fleet?by=driver&in=tpu.example.com',
  '/timeline',
  '/why',
  `/plan/taint/${taint}`,
  `/why/taint/${taint}`,
  '/act/approve?kind=policy&name=agents-in-doubt',
])(
  'the page %s is less than 1,600 px high on a phone while a policy holds the taints of an agent in doubt',
  async (at) => {
    const page = await shown.browser.newPage({ viewport: { width: 390, height: 900 } });
    page.setDefaultTimeout(60_000);
    await page.goto(`${shown.server.url.slice(0, -1)}${at}`);
    expect(await page.locator('#notices').innerText()).toContain('20 of 40 devices of pool');
    expect(await page.getByRole('link', { name: /^Approve/ }).count()).toBeGreaterThan(0);
    await takePicture(page, `held-${at.replaceAll(/\W/g, '-')}`, [390]);
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(1600);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    await page.close();
  },
);
