// Console pages from the state table: the pauses stored there, the tokens of a bucket, and evictions of earlier days.
import { describe, expect, it } from 'vitest';
import type { TableSource } from '../../../lib/commands/console/source.ts';
import { clusterNameOf } from '../../../lib/model/identity.ts';
import { ruleLimiter } from '../../../lib/model/rule.ts';
import { recentPartition, shards } from '../../../lib/state/keys.ts';
import { readPauses, setPause } from '../../../lib/state/pauseRows.ts';
import { readRecent, recentWrite } from '../../../lib/state/recentRows.ts';
import type { State } from '../../../lib/state/state.ts';
import { aHeartbeat, aRule, upserted } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';
import { aLimiter, aPicture } from '../../view/pictures.ts';
import { createRule, pass, run, sceneStart, tell } from '../../view/scene.ts';
import { ask, type ServedScene, serveConsole } from '../support/consoleScene.ts';
import { startScene } from '../support/scene.ts';

const now = Date.now();
const day = 24 * 3_600_000;

async function overTable(work: (server: ServedScene, state: State) => Promise<void>): Promise<void> {
  const { table: rows, cluster } = createWorld({ start: now });
  const table: TableSource = { state: async () => ({ table: rows, cluster }), progress: async () => aPicture() };
  const server = await serveConsole({ table });
  try {
    await work(server, { table: rows, cluster });
  } finally {
    await server.stop();
  }
}

const get = async ({ url }: ServedScene, path: string) => (await ask(`${url.slice(0, -1)}${path}`)).body;

describe('a pause in the state table', () => {
  const pause = { name: 'audit', why: 'until Monday', since: now, by: 'ada' };

  it.each([
    ['of this cluster', 'own', 'in the state table', '/act/resume?kind=cluster&name=NAME&pause=audit'],
    ['of every cluster', undefined, 'every cluster of the installation', '/act/resume?kind=clusters&pause=audit'],
  ])('a pause %s is shown on every page with the button that ends it', (_, of, what, link) =>
    overTable(async (server, state) => {
      const name = clusterNameOf(state.cluster);
      const href = link.replace('NAME', name);
      await setPause({ table: state.table, cluster: of && name }, pause);
      for (const path of ['/rules', '/timeline', '/why']) {
        const page = await get(server, path);
        expect(page).toMatch(new RegExp(`Paused: .*${what}`));
        expect(page).toContain(`href="${href.replaceAll('&', '&amp;')}"`);
      }
      const page = await get(server, href);
      const [, token = ''] = /name="token" value="([0-9a-f]{64})"/.exec(page) ?? [];
      expect(page).toContain('can be evicted again within a minute');
      const form = Object.fromEntries(new URL(href, server.url).searchParams);
      const headers = { origin: server.url.slice(0, -1) };
      const post = () => ask(`${server.url}act/resume`, { method: 'POST', headers, form: { ...form, token } });
      expect((await post()).body).toContain(`evictions in ${of ? `cluster ${name}` : 'every cluster'} resume`);
      expect(await readPauses(state)).toEqual([]);
      expect((await post()).body).toContain('There is no pause audit');
    }),
  );

  it('the end of a pause in the table promises no eviction while something else holds every taint with pods', async () => {
    const world = createWorld({ start: now });
    const state = { table: world.table, cluster: world.cluster };
    const expired = { 'sluice.dev/expires-at': '2026-01-01T00:00:00Z' };
    const rules = [aRule('bad', now, { annotations: expired }), aRule('other', now)];
    await tell(world, ...rules.map(upserted));
    await setPause({ table: world.table, cluster: clusterNameOf(world.cluster) }, pause);
    const limiters = rules.map((rule) => aLimiter({ limiter: ruleLimiter(rule) }));
    let shown = limiters.slice(0, 1);
    const server = await serveConsole({
      table: { state: async () => state, progress: async () => aPicture({ at: Date.now(), limiters: shown }) },
    });
    const href = `/act/resume?kind=cluster&name=${clusterNameOf(world.cluster)}&pause=audit`;
    const held = await get(server, href);
    expect(held).toContain('70 pods of cluster prod are still kept: Expired at 2026-01-01T00:00:00Z');
    expect(held).not.toContain('can be evicted');
    shown = limiters;
    expect(await get(server, href)).toContain('can be evicted again within a minute');
    await server.stop();
  });

  it('a pause of another cluster is not ended by the console, which names the command that ends it', () =>
    overTable(async (server, state) => {
      await setPause({ table: state.table, cluster: 'stage' }, pause);
      const href = '/act/resume?kind=cluster&name=stage&pause=audit';
      const [, token = ''] = /name="token" value="([0-9a-f]{64})"/.exec(await get(server, href)) ?? [];
      const form = { kind: 'cluster', name: 'stage', pause: 'audit', token };
      const headers = { origin: server.url.slice(0, -1) };
      const { body } = await ask(`${server.url}act/resume`, { method: 'POST', headers, form });
      expect(body).toContain('sluice resume cluster stage');
      expect(await readPauses({ table: state.table, cluster: 'stage' })).toHaveLength(1);
    }));
});

it('a pause that does not exist is not offered for its end', () =>
  overTable(async (server) => {
    const { status, body } = await ask(`${server.url}act/resume?kind=clusters&pause=audit`);
    expect([status, body]).toEqual([409, expect.stringContaining('There is no pause audit of everything')]);
    expect(body).not.toContain('name="token"');
  }));

it('the page Rules shows the tokens of a bucket beside the rate', async () => {
  const progress = async () => aPicture({ limiters: [aLimiter({ tokens: 7, rate: { perSecond: 10, burst: 10 } })] });
  const server = await serveConsole({ table: { state: () => Promise.reject(new Error('not asked')), progress } });
  expect(await get(server, '/rules')).toMatch(/<dt>Tokens<\/dt><dd>7<small>of burst 10/);
  await server.stop();
});

describe('the page Timeline', () => {
  const evict = (state: State, name: string, at: number) =>
    state.table.write(
      recentWrite(
        state,
        { namespace: 'ml', name, uid: `uid-${name}` },
        { ledger: { because: [] }, outcome: 'Evicted', now: at, days: 90 },
      ),
    );

  it('the page Timeline links to the previous day, and every eviction is on one of the days', () =>
    overTable(async (server, state) => {
      const ages = { today: 1, yesterday: 25, earlier: 50 };
      for (const [name, hours] of Object.entries(ages)) await evict(state, name, now - hours * 3_600_000);
      let path = '/timeline';
      for (const name of Object.keys(ages)) {
        const page = await get(server, path);
        const names = [...page.matchAll(/\/why\/pod\/ml\/(\w+)"/g)].map(([, one]) => one);
        expect(names).toEqual([name]);
        [, path = ''] = /rel="next" href="([^"]*)">Earlier/.exec(page) ?? [];
        path = path.replaceAll('&amp;', '&');
      }
    }));

  it('an eviction stays on the page Timeline for as long as its record is kept', async () => {
    const world = createWorld({ start: sceneStart, recordDays: 7 });
    await tell(world, aHeartbeat(world.now()));
    const gpus = { driver: 'gpu.example.com', pools: { prefix: 'node', count: 1 } };
    await run(world, { namespace: 'ml', name: 'train', count: 3, ...gpus });
    const taint = { key: 'example.com/bad', effect: 'NoExecute', timeAdded: world.now() };
    await createRule(world, 'bad', { deviceSelector: { driver: gpus.driver }, taint });
    await pass(world, 5);
    const pages = await Promise.all(
      shards.map((shard) => world.table.query({ pk: recentPartition(world.cluster, shard), limit: 10 })),
    );
    const ages = pages.flatMap(({ rows }) => rows.map(({ at, ttl }) => Number(ttl) - Math.floor(Number(at) / 1000)));
    expect(ages).toEqual([1, 2, 3].map(() => 7 * 24 * 3600));
  });

  it('the pages Why and Timeline find the evictions of a rule by its kind and name', async () => {
    const world = createWorld({ start: sceneStart });
    await tell(world, aHeartbeat(world.now()));
    const gpus = { driver: 'gpu.example.com', pools: { prefix: 'node', count: 1 } };
    await run(world, { namespace: 'ml', name: 'train', count: 2, ...gpus });
    const taint = { key: 'example.com/bad', effect: 'NoExecute', timeAdded: world.now() };
    for (const name of ['bad', 'worse'])
      await createRule(world, name, { deviceSelector: { driver: gpus.driver }, taint });
    await pass(world, 5);
    const state = { table: world.table, cluster: world.cluster };
    const table: TableSource = { state: async () => state, progress: async () => aPicture() };
    const server = await serveConsole({ table });
    try {
      for (const name of ['DeviceTaintRule/bad', 'bad', 'DeviceTaintRule/worse'])
        expect(await get(server, `/why/rule/${name}`)).toMatch(/ml\/train-\d+ \(.*: evicted/);
      expect(await get(server, '/why/rule/PacedTaintRule/bad')).toContain('No record');
      const times = `from=${new Date(world.now() - 60_000).toISOString()}&until=${new Date(world.now()).toISOString()}`;
      for (const rule of ['bad', 'DeviceTaintRule/worse'])
        expect(await get(server, `/timeline?rule=${rule}&${times}`)).toContain('2 evictions');
    } finally {
      await server.stop();
    }
  });

  it('the page Why of an evicted pod begins with its record, also where an Event of the cluster names it', async () => {
    const world = createWorld({ start: sceneStart });
    await tell(world, aHeartbeat(world.now()));
    const gpus = { driver: 'gpu.example.com', pools: { prefix: 'node', count: 1 } };
    await run(world, { namespace: 'team-a', name: 'train', count: 1, ...gpus });
    const taint = { key: 'example.com/bad', effect: 'NoExecute', timeAdded: world.now() };
    await createRule(world, 'bad', { deviceSelector: { driver: gpus.driver }, taint });
    await pass(world, 5);
    const state = { table: world.table, cluster: world.cluster };
    const { evictions } = await readRecent(state, { since: 0, limit: 1 });
    const { namespace = '', name = '' } = evictions[0]?.pod ?? {};
    const cluster = await startScene();
    cluster.cluster.seed({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'gone', namespace },
      involvedObject: { kind: 'Pod', namespace, name, uid: 'gone-uid' },
      reason: 'DeviceTaintManagerEviction',
      message: 'Marking for deletion: DeviceTaintRule bad: taint example.com/bad:NoExecute',
      reportingComponent: 'sluice',
      lastTimestamp: new Date(now).toISOString(),
    });
    const table: TableSource = { state: async () => state, progress: async () => aPicture() };
    const server = await serveConsole({ kubeconfig: cluster.kubeconfig, table });
    try {
      const page = await get(server, `/why/pod/${namespace}/${name}`);
      expect(page.indexOf('Records of evictions')).toBeGreaterThan(0);
      expect(page.indexOf('Records of evictions')).toBeLessThan(page.indexOf('The cluster now'));
      expect(page).not.toContain('by an Event of the cluster');
    } finally {
      await server.stop();
      await cluster.stop();
    }
  });

  it('the page Timeline shows the evictions between two times, given in minutes or in seconds', () =>
    overTable(async (server, state) => {
      const minute = Math.floor((now - 30 * day) / 60_000) * 60_000;
      const times = { before: minute - 1, first: minute, last: minute + 7_200_000, after: minute + 7_261_000 };
      for (const [name, at] of Object.entries(times)) await evict(state, name, at);
      const [from, until] = [minute, minute + 7_200_000].map((at) => new Date(at).toISOString().slice(0, 16));
      for (const end of ['', ':00Z']) {
        const page = await get(server, `/timeline?from=${from}${end}&until=${until}${end}`);
        const names = [...page.matchAll(/\/why\/pod\/ml\/(\w+)"/g)].map(([, one]) => one);
        expect(names).toEqual(['last', 'first']);
        expect(page).toContain(`name="from" value="${from}`);
        expect(page).toContain(`name="until" value="${until}`);
      }
    }));

  it('the page Timeline reports a range of time that ends before it begins', () =>
    overTable(async (server) => {
      const page = await get(server, '/timeline?from=2026-11-02T10:00&until=2026-11-02T09:00');
      expect(page).toContain('The start of the time range is after its end');
      // The form stays, so that the mistake can be corrected.
      expect(page).toContain('name="from" value="2026-11-02T10:00');
      expect(page).toContain('name="until" value="2026-11-02T09:00');
    }));

  it('the page Timeline reports a time that it cannot parse', () =>
    overTable(async (server) => {
      expect(await get(server, '/timeline?until=yesterday')).toContain('until=yesterday is not an RFC 3339 time');
    }));

  it('readRecent misses no eviction when each read continues where the previous one ended', () =>
    overTable(async (_, state) => {
      const names = Array.from({ length: 40 }, (_one, i) => `pod-${i}`);
      for (const [i, name] of names.entries()) await evict(state, name, now - i * 1000);
      const seen = new Set<string>();
      let range: Parameters<typeof readRecent>[1] = { since: now - day, limit: 2 };
      for (let isPartial = true; isPartial; ) {
        const read = await readRecent(state, range);
        for (const { pod } of read.evictions.filter(({ at }) => at >= read.since)) seen.add(pod.name);
        range = { ...range, until: read.since };
        isPartial = read.isPartial;
      }
      expect([...seen].sort()).toEqual([...names].sort());
    }));
});
