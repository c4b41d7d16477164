// Verbs on the state table of an installation, run as a process: pauses, evictions, top, and remembered installations.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { limiterControlKey, limiterPartition, stopKey } from '../../lib/state/keys.ts';
import { storeHeartbeat } from '../../lib/state/liveness.ts';
import { readPauses, removePause, setPause } from '../../lib/state/pauseRows.ts';
import { closeRecord, openRecord } from '../../lib/state/recordRows.ts';
import { noteStops } from '../../lib/state/stopRows.ts';
import { startTableScene, type TableScene } from './support/tableScene.ts';

let scene: TableScene;
beforeAll(async () => {
  scene = await startTableScene();
});
afterAll(() => scene.stop());
afterEach(async () => {
  const everything = { table: scene.state.table, cluster: undefined };
  for (const { name, of } of await read()) await removePause(of === 'cluster' ? scene.state : everything, name);
});

const prod = ['--cluster', 'prod', '--table', 'table'];
const read = () => readPauses(scene.state);

describe('pause, pauses and resume', () => {
  it('pause holds one cluster or every cluster, pauses lists who did it, and resume ends each pause by its name', async () => {
    const paused = await scene.sluice(
      'pause',
      'cluster',
      'prod',
      '--name',
      'audit',
      '--why',
      'until Monday',
      '--table',
      'table',
    );
    expect(paused).toEqual({
      status: 0,
      out: 'cluster prod is paused: 0 pods are kept\nto resume: sluice resume cluster prod --name audit --table table\n',
      err: 'paused in table table in us-east-1; waiting until no DELETE is in flight\n',
    });
    const everywhere = (verb: string) => scene.run({ SLUICE_CLUSTER: 'prod' }, verb, '--all', '--table', 'table');
    expect((await everywhere('pause')).out).toMatch(/^every cluster \(prod\) is paused: 0 pods are kept\n/);
    expect(await read()).toMatchObject([
      { name: 'audit', of: 'cluster', by: 'ada', why: 'until Monday' },
      { name: 'manual', of: 'everything', by: 'ada' },
    ]);
    const listed = (await scene.sluice('pauses', ...prod)).out.split('\n');
    expect(listed[1]).toMatch(/^every cluster +manual +ada +20\d\d-/);
    expect(listed[2]).toMatch(/^cluster prod +audit +ada +20\d\d-.* until Monday$/);
    expect((await everywhere('resume')).out).toMatch(/^evictions in every cluster resume within a minute/);
    expect((await scene.sluice('resume', 'cluster', 'prod', '--name', 'audit', '--table', 'table')).status).toBe(0);
    expect(await read()).toEqual([]);
  });

  it('the command that ends a pause names the file of --config, which is another installation than the remembered one', async () => {
    const file = path.join(scene.home, "eve's sluice.yaml");
    const cluster = '{name: prod, endpoint: "https://a.example.com", auth: {kind: eks, clusterName: prod}}';
    writeFileSync(file, `clusters: [${cluster}]\n`);
    const env = { AWS_ENDPOINT_URL_CLOUDFORMATION: 'http://127.0.0.1:1' };
    const options = ['--table', 'table', '--config', file];
    const { out } = await scene.run(env, 'pause', 'cluster', 'prod', ...options);
    expect(out).toMatch(
      /\nto resume: sluice resume cluster prod --table table --config '\S+eve'\\''s sluice\.yaml'\n$/,
    );
  });

  it('pauses fails when the table has no list of clusters, and for a cluster that does not exist', async () => {
    await scene.sluice('pause', 'cluster', 'prod', '--table', 'table');
    expect(await scene.sluice('pauses', '--table', 'table')).toMatchObject({
      status: 1,
      err: expect.stringContaining('incomplete: error: the state table has no list of clusters'),
    });
    expect(await scene.sluice('pauses', '--table', 'table', '--cluster', 'prdo')).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('has no data of a cluster prdo'),
    });
  });

  it('pauses lists the EvictionStops that stages found in a cluster without a kubeconfig', async () => {
    const since = Date.parse('2026-01-02T03:04:05Z');
    const stop = { name: 'incident', uid: 'u', reason: 'disks fail', by: 'kubectl-create', since };
    await noteStops(scene.state, { why: 'stopped by EvictionStop incident', stops: [stop], now: Date.now() });
    const listed = (await scene.sluice('pauses', ...prod)).out.split('\n');
    expect(listed[1]).toMatch(
      /^cluster prod +EvictionStop incident +field manager kubectl-create +2026-01-02T03:04:05Z +disks fail$/,
    );
    await noteStops(scene.state, { why: 'it cannot be read whether', stops: [], now: Date.now() });
    expect((await scene.sluice('pauses', ...prod)).out).toMatch(
      /cluster prod +EvictionStop +.*it cannot be read whether/,
    );
    await scene.state.table.write({ kind: 'Delete', key: stopKey(scene.state.cluster) });
  });

  it('pause waits for an eviction in flight and names it if it is not settled in time', async () => {
    const pod = { namespace: 'team', name: 'worker', uid: 'u' };
    const limiter = 'rule|u|k';
    const listing = { pk: limiterPartition(scene.state.cluster, limiter), sk: 'P#1#u' };
    const control = limiterControlKey(scene.state.cluster, limiter);
    const ledger = { podUid: 'u', state: 'Deleting', because: [], listings: [] } as never;
    const opening = { ledger, grounds: {} as never, now: Date.now() - 1000, days: 90 };
    await scene.state.table.transact([
      { kind: 'Put', row: { ...control } },
      { kind: 'Put', row: { ...listing, pod: 'team/worker', uid: 'u', ns: 'team', deleting: true } },
      ...openRecord(scene.state, pod, opening),
    ]);
    const said = await scene.sluice('pause', 'cluster', 'prod', '--timeout', '1', '--table', 'table');
    expect(said).toMatchObject({ status: 1, out: '' });
    expect(said.err).toContain('error: paused, but with 1 eviction still in flight, such as that of team/worker');
    expect((await read()).map(({ name }) => name)).toEqual(['manual']);
    await scene.state.table.transact([
      { kind: 'Delete', key: control },
      { kind: 'Delete', key: listing },
      ...closeRecord(scene.state, pod, { outcome: 'Abandoned', now: Date.now() }),
    ]);
  });

  it.each([
    ['a cluster', ['cluster', 'prod'], 'cluster prod'],
    ['every cluster', ['--all'], 'every cluster'],
  ])(
    'pause of %s fails if another user resumes it meanwhile, and names the pauses that remain',
    async (_, words, what) => {
      const of = words[0] === '--all' ? { table: scene.state.table, cluster: undefined } : scene.state;
      const pausing = scene.run({ SLUICE_CLUSTER: 'prod' }, 'pause', ...words, '--table', 'table');
      await vi.waitFor(async () => expect(await read()).toHaveLength(1), { timeout: 60_000, interval: 50 });
      await removePause(of, 'manual');
      expect(await pausing).toMatchObject({
        status: 1,
        out: '',
        err: expect.stringContaining(
          `error: pause manual was ended during the wait; ${what} is no longer paused\nsee: `,
        ),
      });
      await setPause(scene.state, { name: 'audit', why: 'until Monday', since: 1, by: 'eve' });
      const again = scene.sluice('pause', 'cluster', 'prod', '--table', 'table');
      await vi.waitFor(async () => expect(await read()).toHaveLength(2), { timeout: 60_000, interval: 50 });
      await removePause(scene.state, 'manual');
      expect((await again).err).toContain(
        '; cluster prod is still paused by other pauses: audit (until Monday; by eve at 1970-01-01T00:00:00Z)',
      );
    },
  );

  it('resume --all names each remaining pause once', async () => {
    const everything = { table: scene.state.table, cluster: undefined };
    for (const name of ['incident', 'manual']) await setPause(everything, { name, why: '', since: 1, by: 'eve' });
    const said = await scene.run({ SLUICE_CLUSTER: 'prod' }, 'resume', '--all', '--table', 'table');
    expect(said.out).toBe(
      'pause manual was removed; every cluster is still paused: incident (by eve at 1970-01-01T00:00:00Z), in every cluster\n',
    );
  });

  it('a second pause of the same name leaves author, time and reason of the first, and reports them', async () => {
    await setPause(scene.state, { name: 'manual', why: 'until Monday', since: 0, by: 'eve' });
    const said = await scene.sluice('pause', 'cluster', 'prod', '--table', 'table');
    expect(said.err).toMatch(
      /^cluster prod is already paused by eve since 1970-01-01T00:00:00Z \(until Monday\); that pause stays as it is; to add another one: --name NAME\n/,
    );
    expect([said.status, await read()]).toMatchObject([0, [{ by: 'eve', why: 'until Monday', since: 0 }]]);
  });

  it.each([
    [
      'a cluster that does not exist',
      ['pause', 'cluster', 'prdo', '--table', 'table'],
      1,
      /table table has no data of a cluster prdo/,
    ],
    [
      'two clusters',
      ['pause', 'cluster', 'prod', '--table', 'table', '--cluster', 'prdo'],
      2,
      /cluster prod and --cluster prdo differ/,
    ],
    [
      'a cluster of the table and a context',
      ['pause', 'cluster', 'prod', '--table', 'table', '--context', 'local'],
      2,
      /--context has no effect: cluster prod is paused in the state table/,
    ],
    [
      '--all in a cluster that does not exist',
      ['pause', '--all', '--cluster', 'prdo', '--table', 'table'],
      1,
      /has no data of a cluster prdo/,
    ],
    [
      'a pause that does not exist',
      ['resume', 'cluster', 'prod', '--table', 'table'],
      1,
      /there is no pause manual of cluster prod; there are: none/,
    ],
    ['a name with spaces', ['pause', '--all', '--name', 'a b', ...prod], 2, /letters, digits, dashes/],
    [
      'a table that does not exist',
      ['pause', 'cluster', 'prod', '--table', 'another'],
      1,
      /there is no table another in us-east-1/,
    ],
  ])('pause and resume write nothing for %s', async (_, words, status, says) => {
    const said = await scene.sluice(...words);
    expect(said.err).toMatch(says);
    expect([said.status, said.out, await read()]).toEqual([status, '', []]);
  });
});

describe('verbs that read the table', () => {
  it.each([
    ['a cluster', ['get', 'evictions', '--cluster', 'prdo', '--table', 'table'], /no data of a cluster prdo/],
    ['a rule', ['why', 'rule', 'nope', ...prod], /there is no record of rule nope/],
    ['a device', ['why', 'device', 'a/b/c', ...prod], /there is no record of device a\/b\/c/],
  ])('get and why fail for %s that the table does not have', async (_, words, says) => {
    expect(await scene.sluice(...words)).toMatchObject({ status: 1, out: '', err: expect.stringMatching(says) });
  });

  /** On a busy machine the first heartbeat is too old by now. */
  const hear = (at: number) =>
    storeHeartbeat(scene.state, { type: 'Heartbeat', at, clockOffset: 0, watched: [] } as never, at);

  it('get clusters shows the cluster that --cluster names, and fails if there is none of that name', async () => {
    await hear(Date.now());
    expect((await scene.sluice('get', 'clusters', '--table', 'table', '--cluster', 'prod')).out).toMatch(
      /\nprod +alive/,
    );
    expect(await scene.sluice('get', 'clusters', '--table', 'table', '--cluster', 'prdo')).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/^error: table table has no data of a cluster prdo\n/),
    });
    expect(await scene.sluice('get', 'clusters', 'prod', '--table', 'table', '--cluster', 'test')).toEqual({
      status: 2,
      out: '',
      err: 'error: prod and --cluster test differ\nomit --cluster\n',
    });
  });

  it('get evictions, get clusters, top and why read the state table', async () => {
    expect(await scene.sluice('get', 'evictions', ...prod)).toEqual({
      status: 0,
      out: '',
      err: 'no evictions found\n',
    });
    await hear(Date.now());
    expect((await scene.sluice('get', 'clusters', ...prod)).out).toMatch(/^NAME +WATCHER +PAUSED\nprod +alive/);
    expect((await scene.sluice('top', '--once', ...prod)).status).toBe(0);
    expect(await scene.sluice('why', 'pod', 'team/none', ...prod)).toMatchObject({
      status: 1,
      err: expect.stringContaining('there is no record of pod team/none'),
    });
  });
});

describe('config', () => {
  it('config validate names each problem with its line, and pause accepts only the clusters of sluice.yaml', async () => {
    const file = path.join(scene.home, 'sluice.yaml');
    const cluster = "  - {name: prod, endpoint: 'https://a.example.com', auth: {kind: eks, clusterName: prod}}\n";
    writeFileSync(file, `clusters:\n${cluster}loglevel: INFO\n`);
    const wrong = await scene.sluice('config', 'validate', file);
    expect([wrong.status, wrong.err]).toEqual([1, '']);
    expect(wrong.out).toMatch(/sluice\.yaml:3:1: loglevel: .*did you mean "logLevel"/);
    writeFileSync(file, `clusters:\n${cluster}`);
    expect((await scene.sluice('config', 'validate', file)).out).toMatch(/sluice\.yaml is valid: clusters prod\n$/);
    const mistyped = await scene.run({ SLUICE_CONFIG: file }, 'pause', 'cluster', 'prdo', '--table', 'table');
    expect(mistyped).toMatchObject({ status: 1, out: '' });
    expect(mistyped.err).toBe(
      'error: the installation has no cluster prdo\ndid you mean prod? see: sluice get clusters --table table\n',
    );
    expect(await scene.sluice('config', 'validate', 'none.yaml')).toEqual({
      status: 1,
      out: '',
      err: 'error: none.yaml: there is no such file\nsee: sluice config validate --help\n',
    });
  });

  it('config use remembers an installation by name, and verbs use it unless an option names another', async () => {
    const used = await scene.sluice('config', 'use', 'mine', ...prod);
    expect(used.out).toBe('using mine: table table, cluster prod\n');
    expect((await scene.sluice('mode', 'show')).out).toMatch(/^prod native: effective mode: /);
    expect((await scene.sluice('config', 'view')).out).toMatch(
      /current: mine\n[\s\S]*effective:\n[\s\S]*cluster: prod/,
    );
    expect(await scene.sluice('config', 'use', 'mien')).toMatchObject({
      status: 1,
      err: expect.stringContaining('did you mean mine?'),
    });
    expect((await scene.sluice('mode', 'show', '--cluster', 'prdo')).status).toBe(1);
    for (const name of ['', '__proto__', 'constructor/x', 'a b'])
      expect(await scene.sluice('config', 'use', name, ...prod)).toMatchObject({ status: 2, out: '' });
  });
});
