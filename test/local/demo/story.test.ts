// The sentences of the tutorial, on a simulated clock: each is true when it is shown.
import { afterEach, expect, it, vi } from 'vitest';
import { type Cluster, startCluster } from '../../../lib/local/cluster/cluster.ts';
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import { demoManifests, nextToExplain } from '../../../lib/local/demo/demo.ts';
import { createOperator, type Operator } from '../../../lib/local/demo/operator.ts';
import { type Story, startStory } from '../../../lib/local/demo/story.ts';
import type { ClusterProgress, LimiterProgress } from '../../../lib/view/progress.ts';
import type { Chapter } from '../../../lib/view/screenSnapshot.ts';
import { aLimiter, anEviction, aPicture } from '../../view/pictures.ts';

/** Without evictions, each of the three acts takes its longest time. */
const twice = 20 * 60_000;

let cluster: Cluster;
let operator: Operator;

afterEach(async () => {
  operator.close();
  await cluster.close();
});

interface Shown extends Chapter {
  readonly at: number;
}

async function play(progressAt?: (now: number) => ClusterProgress): Promise<readonly Shown[]> {
  cluster = await startCluster();
  for (const manifest of demoManifests) cluster.seed(manifest);
  operator = createOperator(cluster);
  const start = Date.UTC(2027, 0, 1, 12, 0, 20);
  const ending = new AbortController();
  const shown: Shown[] = [];
  let [now, story]: [number, Story | undefined] = [start, undefined];
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
    if (story) shown.push({ ...story.chapter(), at: now });
    if (now > start + twice) ending.abort();
  };
  story = startStory({
    cluster,
    operator,
    clock: { now: () => now, sleep },
    progress: () => progressAt?.(now),
    signal: ending.signal,
  });
  await story.ended;
  return shown;
}

it('every act says what to watch, and no sentence calls an open window closed', async () => {
  const shown = await play();
  for (const act of [1, 2, 3])
    expect(shown.filter((one) => one.act === act).some(({ watch }) => watch.includes('Watch:'))).toBe(true);
  const closed = shown.filter(({ watch }) => watch.includes('opens with the next minute'));
  expect(closed.length).toBeGreaterThan(0);
  for (const { at, until } of closed) expect(at).toBeLessThanOrEqual((until ?? 0) + 500);
});

it('the story calls a rule resumed only after its numbers show it', async () => {
  let [isFollowed, wasPaused, heldUntil, lastHeld] = [false, false, 0, 0];
  const follow = () => {
    if (!isFollowed)
      cluster.store.subscribe(({ object: { metadata } }) => {
        wasPaused ||= /^chats fail; by on-call at \d{4}-\S+Z$/.test(
          metadata.annotations?.['pause.sluice.dev/incident'] ?? '',
        );
      });
    isFollowed = true;
  };
  const shown = await play((now) => {
    const rule = cluster.store.get(cluster.resource('devicetaintrules'), 'broken-gpus');
    if (!rule) return aPicture({ limiters: [] });
    follow();
    // The table learns of the end of a pause a second later.
    if (wasPaused && heldUntil === 0) heldUntil = now + 1000;
    const held = now < heldUntil ? { heldBecause: 'Paused by incident (chats fail)' } : {};
    if (held.heldBecause !== undefined) lastHeld = now;
    const counts = { evicted: 2, deleting: 0, pending: 6, waiting: 0 };
    return aPicture({ limiters: [aLimiter({ limiter: `rule|${rule.metadata.uid}`, counts, ...held })] });
  });
  const [resumed] = shown.filter(({ watch }) => watch.startsWith('Resumed.'));
  expect(lastHeld).toBeGreaterThan(0);
  expect(resumed?.at).toBeGreaterThan(lastHeld);
});

it('an act continues as long as its pods are evicted, however slowly a busy machine does it', async () => {
  const shown = await play((now) => {
    const rule = cluster.store.get(cluster.resource('pacedtaintrules'), 'bad-driver');
    const evicted = Math.floor(now / 60_000);
    const counts = { evicted, deleting: 0, pending: 20, waiting: 0 };
    const picture = aPicture({ limiters: rule ? [aLimiter({ limiter: `rule|${rule.metadata.uid}`, counts })] : [] });
    return { ...picture, recent: { ...picture.recent, evicted } };
  });
  expect(shown.map(({ act }) => act)).not.toContain(2);
  expect(shown.length).toBeGreaterThan(100);
});

it('an act waits while a person has paused everything, and continues after that', async () => {
  const stop = {
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionStop',
    metadata: { name: 'by-a-person' },
    spec: { reason: 'test' },
  };
  let [pausedAt, resumedAt] = [0, 0];
  const shown = await play((now) => {
    const rule = cluster.store.get(cluster.resource('pacedtaintrules'), 'bad-driver');
    if (rule && pausedAt === 0) {
      pausedAt = now;
      cluster.seed(stop);
    }
    if (pausedAt > 0 && resumedAt === 0 && now > pausedAt + 10 * 60_000) {
      resumedAt = now;
      const type = cluster.resource('evictionstops');
      const made = cluster.store.get(type, 'by-a-person');
      if (made) cluster.store.remove(type, made);
    }
    const counts = { evicted: 3, deleting: 0, pending: 20, waiting: 0 };
    return aPicture({ limiters: rule ? [aLimiter({ limiter: `rule|${rule.metadata.uid}`, counts })] : [] });
  });
  expect(resumedAt).toBeGreaterThan(pausedAt);
  expect(shown.filter(({ at }) => at < resumedAt).map(({ act }) => act)).not.toContain(2);
  expect(shown.filter(({ at }) => at > resumedAt).map(({ act }) => act)).toContain(2);
});

/** Numbers of the only rule of that name. */
function pictureOf(plural: string, name: string, shown: Partial<LimiterProgress>): ClusterProgress {
  const rule = cluster.store.get(cluster.resource(plural), name);
  return aPicture({ limiters: rule ? [aLimiter({ limiter: `rule|${rule.metadata.uid}`, ...shown })] : [] });
}

it('the story says that evictions are done only if every pod of the rule is evicted', async () => {
  const counts = { evicted: 3, deleting: 0, pending: 20, waiting: 0 };
  const kept = await play(() => pictureOf('pacedtaintrules', 'bad-driver', { counts }));
  const said = kept.map(({ watch }) => watch);
  expect(said.filter((one) => one.startsWith('Done'))).toEqual([]);
  expect(said).toContain(
    'No pod was evicted for two minutes. Next, the driver is rolled back and the rule is deleted.',
  );
});

it('the story says that a person deleted the rule of an act, and not that its evictions are done', async () => {
  let isDeleted = false;
  const counts = { evicted: 4, deleting: 0, pending: 20, waiting: 0 };
  const shown = await play(() => {
    const type = cluster.resource('pacedtaintrules');
    const rule = cluster.store.get(type, 'bad-driver');
    if (rule && !isDeleted) cluster.store.remove(type, rule);
    isDeleted ||= rule !== undefined;
    return pictureOf('pacedtaintrules', 'bad-driver', { counts });
  });
  const [ended] = shown.filter(({ act, watch }) => act === 1 && watch.includes('Next,'));
  expect(ended?.watch).toBe('The rule was deleted. Next, the driver is rolled back.');
});

it('the story says that Sluice evicts the pods of a rule only while nothing holds the rule', async () => {
  let heldAt = 0;
  const isHeld = (now: number) => heldAt > 0 && now > heldAt + 5000 && now < heldAt + 60_000;
  const shown = await play((now) => {
    if (heldAt === 0 && cluster.store.get(cluster.resource('pacedtaintrules'), 'bad-driver')) heldAt = now;
    const counts = { evicted: 4, deleting: 0, pending: 20, waiting: 0 };
    return pictureOf('pacedtaintrules', 'bad-driver', {
      counts,
      ...(isHeld(now) ? { heldBecause: 'Paused by manual' } : {}),
    });
  });
  const during = shown.filter(({ at }) => isHeld(at - 1000) && isHeld(at + 1000)).map(({ watch }) => watch);
  expect(new Set(during)).toEqual(new Set(['The rule is held, so no pod is evicted. Its line below says why.']));
  const after = shown.filter(({ at, act }) => act === 1 && at > heldAt + 62_000 && at < heldAt + 100_000);
  expect(after[0]?.watch).toContain('at the rate of the rule');
});

it('each round of the acts has the policies of the first, whatever a person changed in them', async () => {
  const type = () => cluster.resource('evictionpolicies');
  const specOf = (name: string) => cluster.store.get(type(), name)?.spec;
  const [first, later]: [Set<string>, Set<string>] = [new Set(), new Set()];
  let isChanged = false;
  await play(() => {
    const rule = cluster.store.get(cluster.resource('pacedtaintrules'), 'bad-driver');
    const slice = cluster.store.get(cluster.resource('devicetaintslices'), 'tpu-health-agent');
    const name = slice ? 'agents-in-doubt' : 'driver-canary';
    if (rule || slice) (isChanged ? later : first).add(JSON.stringify(specOf(name)));
    if (slice && !isChanged) {
      isChanged = true;
      for (const { apiVersion, kind, metadata, spec } of cluster.store.list(type())) {
        const { canary: _, observer: __, ...rest } = spec as JsonMap;
        cluster.seed({ apiVersion, kind, metadata: { name: metadata.name }, spec: rest });
      }
    }
    return aPicture({ limiters: [] });
  });
  expect(isChanged).toBe(true);
  const held = ['canary', 'observer'];
  for (const seen of [first, later])
    for (const field of held) expect([...seen].some((spec) => spec.includes(field))).toBe(true);
});

it('the countdown of a canary ends as long after its last eviction as the policy says', async () => {
  const lastEvictionAt = Date.UTC(2027, 0, 1, 12, 0, 24);
  const counts = { evicted: 3, deleting: 0, pending: 20, waiting: 0 };
  const shown = await play(() =>
    pictureOf('pacedtaintrules', 'bad-driver', { counts, heldBecause: 'Canary: 3 pods evicted', lastEvictionAt }),
  );
  const [held] = shown.filter(({ watch }) => watch.includes('the canary holds'));
  expect(held?.until).toBe(lastEvictionAt + 6000);
});

it('the story calls a window open only from its beginning', async () => {
  const counts = { evicted: 1, deleting: 0, pending: 7, waiting: 0 };
  const shown = await play(() => pictureOf('devicetaintrules', 'broken-gpus', { counts }));
  const [early] = shown.filter(({ act, watch }) => act === 3 && watch.startsWith('Watch:'));
  expect(early?.watch).toContain('Watch: the window of the policy was changed, so evictions begin now.');
});

it('the story says after a stop of the cluster that a window is open, once the window has begun', async () => {
  const stop = {
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionStop',
    metadata: { name: 'by-a-person' },
    spec: { reason: 'test' },
  };
  let [stoppedAt, resumedAt] = [0, 0];
  const shown = await play((now) => {
    if (stoppedAt === 0 && cluster.store.get(cluster.resource('devicetaintrules'), 'broken-gpus')) {
      stoppedAt = now;
      cluster.seed(stop);
    }
    if (stoppedAt > 0 && resumedAt === 0 && now > stoppedAt + 70_000) {
      resumedAt = now;
      const type = cluster.resource('evictionstops');
      const made = cluster.store.get(type, 'by-a-person');
      if (made) cluster.store.remove(type, made);
    }
    return aPicture({ limiters: [] });
  });
  const after = shown.filter(({ at }) => at > resumedAt + 500 && at < resumedAt + 2000);
  expect(after.length).toBeGreaterThan(0);
  for (const { watch } of after) expect(watch).toContain('the window is open now');
});

it('the story does not say that no pod was evicted if a person approved at the last moment', async () => {
  let goneAt = 0;
  const limiter = 'taint|tpu.example.com|example.com/unhealthy=no-heartbeat:NoExecute';
  const shown = await play((now) => {
    const isThere = cluster.store.get(cluster.resource('devicetaintslices'), 'tpu-health-agent') !== undefined;
    if (isThere) goneAt = 0;
    else if (goneAt === 0) goneAt = now;
    // The table has the first eviction a second after the taints are gone.
    const isOver = !isThere && now > goneAt + 1000;
    const over = { state: 'Completed', lastEvictionAt: goneAt } as const;
    const limiters = [aLimiter({ limiter, kind: 'Slice', ...(isOver ? over : { state: 'Waiting' }) })];
    return aPicture({ limiters });
  });
  const said = shown.map(({ watch }) => watch);
  expect(said.filter((one) => one.includes('Not one pod'))).toEqual([]);
  expect(said.some((one) => one.includes('The agent was right this time'))).toBe(true);
});

it('the story says that a canary holds only while its numbers show it', async () => {
  cluster = await startCluster();
  for (const manifest of demoManifests) cluster.seed(manifest);
  operator = createOperator(cluster);
  const ending = new AbortController();
  let [now, counts, story]: [number, LimiterProgress['counts'], Story | undefined] = [
    0,
    { evicted: 3, deleting: 0, pending: 20, waiting: 0 },
    undefined,
  ];
  let hasHeld = false;
  const said = () => story?.chapter().watch ?? '';
  story = startStory({
    cluster,
    operator,
    clock: {
      now: () => now,
      // After the canary holds, only a new picture makes the story look.
      sleep: (milliseconds) => {
        now += milliseconds;
        hasHeld ||= said().includes('the canary holds');
        return hasHeld ? new Promise(() => undefined) : Promise.resolve();
      },
    },
    progress: () => {
      const rule = cluster.store.get(cluster.resource('pacedtaintrules'), 'bad-driver');
      const held = counts.deleting === 0 ? { heldBecause: 'Canary: 3 pods evicted' } : {};
      const limiters = rule ? [aLimiter({ limiter: `rule|${rule.metadata.uid}`, counts, ...held })] : [];
      return aPicture({ limiters });
    },
    signal: ending.signal,
  });
  await vi.waitUntil(() => said().includes('the canary holds'), { timeout: 30_000 });
  await story.look();
  expect(said()).toContain('the canary holds');
  counts = { ...counts, deleting: 2, pending: 18 };
  await story.look();
  expect(said()).toContain('at the rate of the rule');
  ending.abort();
  await story.look();
  await story.ended;
});

it('each press of w explains the eviction before the last explained one, even if more pods were evicted since', () => {
  const went = (name: string) => anEviction({ pod: { namespace: 'ns', name, uid: name } });
  const [a, b, c] = [went('a'), went('b'), went('c')];
  expect(nextToExplain([], undefined)).toBeUndefined();
  expect(nextToExplain([b, a], undefined)).toBe(b);
  expect(nextToExplain([c, b, a], 'b')).toBe(a);
  expect(nextToExplain([c, b, a], 'a')).toBe(a);
});
