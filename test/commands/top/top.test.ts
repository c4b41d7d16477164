// `top` with only a kubeconfig: bars from live objects, conditions and Events, at 80 and 200 columns, with the reason of a hold.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCluster } from '../../../lib/commands/cluster/open.ts';
import { createFrames } from '../../../lib/commands/top/source.ts';
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import type { ScreenSnapshot } from '../../../lib/view/screenSnapshot.ts';
import { gpuRule, now, type Scene, startScene } from '../support/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ hasStops: true });
});
afterEach(() => scene.stop());

const condition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
});

/** A rule with four pending pods, whose condition says that five pods were evicted earlier. */
function seedRule(...conditions: readonly JsonMap[]): void {
  const spec = gpuRule.spec as JsonMap;
  const taint = { ...(spec.taint as JsonMap), timeAdded: '2026-01-01T11:00:00Z' };
  const message = '4 pods need to be evicted in 3 different namespaces. 5 pods evicted since starting the controller.';
  const inProgress = condition('EvictionInProgress', 'True', 'PodsPendingEviction', message);
  scene.cluster.seed({
    ...gpuRule,
    spec: { ...spec, taint },
    status: { conditions: [inProgress, ...conditions] },
  });
}

function seedEvent(source = 'DeviceTaintRule unhealthy-gpus', at = now - 2000): void {
  scene.cluster.seed({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `gone.${source.length}`, namespace: 'team-a' },
    involvedObject: { kind: 'Pod', namespace: 'team-a', name: 'gone', uid: 'gone-uid' },
    reason: 'DeviceTaintManagerEviction',
    message: `Marking for deletion: ${source}: taint example.com/unhealthy=xid:NoExecute on device gpu.example.com/node-000/device-0. To stop all evictions in this cluster: x`,
    reportingComponent: 'sluice',
    lastTimestamp: new Date(at).toISOString(),
  });
}

describe('top --once with only a kubeconfig', () => {
  it.each([80, 200])('top draws a bar for each rule at %i columns, and no line is wider', async (columns) => {
    seedRule();
    seedEvent();
    const { status, out, err } = await scene.run(['top', '--once'], { columns, env: { NO_COLOR: '1' } });
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain('from the API server alone');
    expect(out).toMatch(/unhealthy-gpus +(Evicting +)?[█▉▊▋▌▍▎▏▒░·]+ +55 %/);
    expect(out).toMatch(/team-a\/gone .*DeviceTaintRule unhealthy-gpus/);
    for (const one of out.split('\n')) expect(one.length).toBeLessThanOrEqual(columns);
  });

  it('top prints one line with the time left when the output is not a terminal', async () => {
    seedRule();
    expect((await scene.sluice('top', '--once')).out).toMatch(
      /^12:00:00 unhealthy-gpus 5 of 9 evicted, \d+(\.\d)? m?s left\n$/,
    );
  });

  it('top says that no pod is left in a cluster without rules, and mentions no watcher', async () => {
    expect((await scene.sluice('top', '--once')).out).toBe('12:00:00 0 evicted in the last 10 min, no pod left\n');
  });

  it('a taint that a driver publishes in a ResourceSlice has its own bar', async () => {
    const [slice] = scene.cluster.store.list(scene.cluster.resource('resourceslices'));
    const spec = slice?.spec as { devices: JsonMap[] };
    const taints = [{ key: 'gpu.example.com/broken', effect: 'NoExecute', timeAdded: '2026-01-01T11:00:00Z' }];
    const [first, ...others] = spec.devices;
    scene.cluster.seed({ ...slice, spec: { ...spec, devices: [{ ...first, taints }, ...others] } } as JsonMap);
    expect((await scene.sluice('top', '--once')).out).toMatch(/gpu\.example\.com 0 of \d evicted/);
  });

  it.each<[string, readonly JsonMap[], string]>([
    ['a Held condition', [condition('sluice.dev/Held', 'True', 'Canary', 'The canary waits.')], 'The canary waits'],
    [
      'a Pacing condition with reason Stopped',
      [condition('sluice.dev/Pacing', 'False', 'Stopped', 'No pod is evicted: stopped.')],
      'No pod is evicted: stopped',
    ],
    [
      'a Pacing condition with reason NotPaced',
      [condition('sluice.dev/Pacing', 'False', 'NotPaced', 'Sluice only watches.')],
      'Sluice only watches',
    ],
  ])('%s is shown as the reason why a bar is held', async (_, conditions, why) => {
    seedRule(...conditions);
    expect((await scene.sluice('top', '--once')).out).toContain(`held: ${why}\n`);
  });

  it('an EvictionStop holds a bar before any condition reports it', async () => {
    seedRule();
    await scene.sluice('pause', '--all', '--why', 'disks fail');
    expect((await scene.sluice('top', '--once')).out).toContain('held: No pod of this cluster is evicted: stopped by');
  });

  it('an eviction by an earlier rule of the same name is not shown for the current rule', async () => {
    seedRule();
    seedEvent('DeviceTaintRule unhealthy-gpus', Date.UTC(2026, 0, 1, 10));
    const { out } = await scene.run(['top', '--once'], { columns: 200, env: { NO_COLOR: '1' } });
    expect(out).toContain('5 evicted');
    expect(out).not.toContain('team-a/gone');
  });

  it('top fails with status 2 when neither a kubeconfig nor an installation is named', async () => {
    const { status, err } = await scene.run(['top', '--once'], { env: { KUBECONFIG: '', SLUICE_TABLE: '' } });
    expect(status).toBe(2);
    expect(err).toBe(
      'error: neither a cluster nor an installation is given\nspecify --kubeconfig FILE or --table NAME\n',
    );
  });
});

describe('top, live updates', () => {
  const frameUntil = async (frames: () => Promise<ScreenSnapshot>, holds: (frame: ScreenSnapshot) => boolean) => {
    for (;;) {
      const frame = await frames();
      if (holds(frame)) return frame;
      await sleep(20);
    }
  };
  const evicted = ({ progress }: ScreenSnapshot) => progress?.limiters[0]?.counts.evicted;

  it('each frame of top shows the current rules and Events', async () => {
    const ended = new AbortController();
    const io = { env: { KUBECONFIG: scene.kubeconfig }, now: () => scene.clock.now } as never;
    const cluster = await openCluster({ flags: {}, io });
    try {
      const frames = createFrames(cluster, ended.signal);
      expect((await frames()).loading?.step).toBe('Reading the cluster.');
      await frameUntil(frames, ({ progress }) => progress?.limiters.length === 0);
      seedRule();
      const before = await frameUntil(frames, (frame) => evicted(frame) === 5);
      expect(before.progress?.limiters[0]?.counts).toEqual({ evicted: 5, deleting: 0, pending: 4, waiting: 0 });
      seedEvent();
      scene.clock.now += 3000;
      await frameUntil(frames, ({ progress }) => progress?.last.length === 1);
    } finally {
      ended.abort();
      cluster.client.close();
    }
  });

  it('the total of a rule with pods stays while the Event of an evicted pod is not written yet', async () => {
    seedRule();
    const ended = new AbortController();
    const io = { env: { KUBECONFIG: scene.kubeconfig }, now: () => scene.clock.now } as never;
    const cluster = await openCluster({ flags: {}, io });
    try {
      const frames = createFrames(cluster, ended.signal);
      const pending = ({ progress }: ScreenSnapshot) => progress?.limiters[0]?.counts.pending;
      await frameUntil(frames, (frame) => pending(frame) === 4);
      const pods = scene.cluster.resource('pods');
      let after = await frames();
      for (const pod of scene.cluster.store.list(pods)) {
        if (pending(after) !== 4) break;
        scene.cluster.store.remove(pods, pod);
        await sleep(200);
        after = await frames();
      }
      expect(after.progress?.limiters[0]).toMatchObject({ total: 9, counts: { evicted: 5, pending: 3 } });
    } finally {
      ended.abort();
      cluster.client.close();
    }
  });

  it('top reports that it may not list Events and still draws the bars', async () => {
    seedRule();
    scene.cluster.faults.add({ when: ({ request }) => request.resource?.plural === 'events', status: 403 });
    const ended = new AbortController();
    const io = { env: { KUBECONFIG: scene.kubeconfig }, now: () => scene.clock.now } as never;
    const cluster = await openCluster({ flags: {}, io });
    try {
      const frame = await frameUntil(createFrames(cluster, ended.signal), (one) => evicted(one) === 5);
      expect(frame.message).toMatch(/^not read: .*events.*403/);
    } finally {
      ended.abort();
      cluster.client.close();
    }
  });
});
