// `top` with a kubeconfig alone: bars of live objects, conditions and Events, in both widths, and what holds them.
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

/** Four pods wait; five went before, of which Events tell one. */
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

describe('top --once with a kubeconfig alone', () => {
  it.each([80, 200])('draws a bar for each rule at %i columns, and no line is longer', async (columns) => {
    seedRule();
    seedEvent();
    const { status, out, err } = await scene.run(['top', '--once'], { columns, env: { NO_COLOR: '1' } });
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain('from the API server alone');
    expect(out).toMatch(/unhealthy-gpus +(Evicting +)?[█▉▊▋▌▍▎▏▒░·]+ +55 %/);
    expect(out).toMatch(/team-a\/gone .*DeviceTaintRule unhealthy-gpus/);
    for (const one of out.split('\n')) expect(one.length).toBeLessThanOrEqual(columns);
  });

  it('is one line where no terminal shows it, with what its rate leaves', async () => {
    seedRule();
    expect((await scene.sluice('top', '--once')).out).toMatch(
      /^12:00:00 unhealthy-gpus 5 of 9 evicted, \d+(\.\d)? m?s left\n$/,
    );
  });

  it('says that no pod is left where none is, and does not speak of a watcher', async () => {
    expect((await scene.sluice('top', '--once')).out).toBe('12:00:00 0 evicted in the last 10 min, no pod left\n');
  });

  it('a taint that a driver set in its slices has a bar of its own', async () => {
    const [slice] = scene.cluster.store.list(scene.cluster.resource('resourceslices'));
    const spec = slice?.spec as { devices: JsonMap[] };
    const taints = [{ key: 'gpu.example.com/broken', effect: 'NoExecute', timeAdded: '2026-01-01T11:00:00Z' }];
    const [first, ...others] = spec.devices;
    scene.cluster.seed({ ...slice, spec: { ...spec, devices: [{ ...first, taints }, ...others] } } as JsonMap);
    expect((await scene.sluice('top', '--once')).out).toMatch(/gpu\.example\.com 0 of \d evicted/);
  });

  it.each<[string, readonly JsonMap[], string]>([
    ['a condition Held', [condition('sluice.dev/Held', 'True', 'Canary', 'The canary waits.')], 'The canary waits'],
    [
      'a pace that a stop has taken',
      [condition('sluice.dev/Pacing', 'False', 'Stopped', 'No pod is evicted: stopped.')],
      'No pod is evicted: stopped',
    ],
    [
      'another controller that evicts',
      [condition('sluice.dev/Pacing', 'False', 'NotPaced', 'Sluice only watches.')],
      'Sluice only watches',
    ],
  ])('%s holds the bar', async (_, conditions, why) => {
    seedRule(...conditions);
    expect((await scene.sluice('top', '--once')).out).toContain(`held: ${why}\n`);
  });

  it('so does an EvictionStop, before any condition says so', async () => {
    seedRule();
    await scene.sluice('pause', '--all', '--why', 'disks fail');
    expect((await scene.sluice('top', '--once')).out).toContain('held: No pod of this cluster is evicted: stopped by');
  });

  it('what went for a rule of the same name before this one does not count for it', async () => {
    seedRule();
    seedEvent('DeviceTaintRule unhealthy-gpus', Date.UTC(2026, 0, 1, 10));
    const { out } = await scene.run(['top', '--once'], { columns: 200, env: { NO_COLOR: '1' } });
    expect(out).toContain('5 evicted');
    expect(out).not.toContain('team-a/gone');
  });

  it('without kubeconfig and installation it was used wrongly', async () => {
    const { status, err } = await scene.run(['top', '--once'], { env: { KUBECONFIG: '', SLUICE_TABLE: '' } });
    expect(status).toBe(2);
    expect(err).toBe('error: no cluster and no installation is named\nname one: --kubeconfig FILE, or --table NAME\n');
  });
});

describe('top, live', () => {
  const frameUntil = async (frames: () => Promise<ScreenSnapshot>, holds: (frame: ScreenSnapshot) => boolean) => {
    for (;;) {
      const frame = await frames();
      if (holds(frame)) return frame;
      await sleep(20);
    }
  };
  const evicted = ({ progress }: ScreenSnapshot) => progress?.limiters[0]?.counts.evicted;

  it('each frame shows the rule and the Events of that moment', async () => {
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

  it('who may not list Events is told so, and the bars stay', async () => {
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
