// -o: every verb that prints a result takes every format, and a wrong one is refused before anything is read.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { program } from '../../lib/commands/definitions/index.ts';
import { leavesOf } from '../../lib/commands/pages/reference.ts';
import { gpuRule, type Scene, startScene } from './support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ hasStops: true });
  scene.cluster.seed(gpuRule);
  scene.cluster.seed({
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionPolicy',
    metadata: { name: 'gpus' },
    spec: { taints: [{ key: 'example.com/unhealthy' }], paused: true },
  });
  scene.cluster.seed({
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionStop',
    metadata: { name: 'night' },
    spec: {},
  });
});
afterAll(() => scene.stop());

/** What is typed for each verb with `-o`, and what its names look like. Those below need a state table: mode.emulator.test.ts. */
const typed: Readonly<Record<string, readonly [words: string, names: RegExp]>> = {
  'get rules': ['', /^(paced|device)taintrule\.[a-z0-9.]+\/\S+$/],
  'get policies': ['', /^evictionpolicy\.sluice\.dev\/gpus$/],
  'get taints': ['', /^\S+\/\S+$/],
  'get devices': ['', /^device\/\S+$/],
  'get pods': ['-A', /^pod\/pod-0000\d$/],
  'get evictions': ['', /^eviction\/\S+$/],
  plan: ['unhealthy-gpus', /^devicetaintrule\/unhealthy-gpus$/],
  pauses: ['', /^(evictionstop\.sluice\.dev\/night|evictionpolicy\.sluice\.dev\/gpus:spec\.paused)$/],
  why: ['rule unhealthy-gpus', /^rule\/unhealthy-gpus$/],
  events: ['-A', /^event\/\S+$/],
  top: ['', /^cluster\/\S+$/],
  doctor: ['--no-probe', /\S/],
  cost: ['--nodes 1 --events 1', /^\d+\.\d\d$/],
  version: ['', /^\d+\.\d+\.\d+$/],
  'config view': ['', /^target\/\S+$/],
};
const inTable = ['get clusters', 'mode show'];

const takes = (verb: string) => [...verb.split(' '), ...(typed[verb]?.[0] ?? '').split(' ').filter(Boolean)];

describe('-o', () => {
  it('a place is known for every verb with -o', () => {
    const leaves = program.verbs.flatMap((verb) => leavesOf(verb, []));
    const known = leaves.filter(({ verb }) => verb.uses?.includes('output')).map(({ path }) => path.join(' '));
    expect(known.sort()).toEqual([...Object.keys(typed), ...inTable].sort());
  });

  it.each(Object.keys(typed))('%s prints a table, JSON, YAML, names and jsonpath', async (verb) => {
    const shown = async (format: string) => {
      const { status, out, err } = await scene.sluice(...takes(verb), '-o', format);
      expect(status === 3 || status <= 1, `${format}: ${err}`).toBe(true);
      expect(err, format).not.toMatch(/^error/);
      return out;
    };
    const whole = JSON.parse(await shown('json')) as object;
    expect(parse(await shown('yaml'))).toEqual(whole);
    expect(JSON.parse(await shown('jsonpath={.}'))).toEqual(whole);
    await shown('wide');
    for (const one of (await shown('name')).split('\n').filter(Boolean)) expect(one).toMatch(typed[verb]?.[1] ?? /^$/);
  });

  it.each([...Object.keys(typed), ...inTable])(
    '%s refuses a wrong format and a wrong path without a request',
    async (verb) => {
      for (const format of ['xml', 'jsonpath=', 'jsonpath={.items[}', 'jsonpath={.items[?(foo==1)]}', 'jsonpath={.a']) {
        const before = scene.cluster.calls.length;
        const { status, out, err } = await scene.sluice(...takes(verb), '-o', format);
        expect({ status, out }, `${format}: ${err}`).toEqual({ status: 2, out: '' });
        expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
        expect(scene.cluster.calls.length).toBe(before);
      }
    },
  );

  it('why prints each answer with its reasons as one object', async () => {
    const { out } = await scene.sluice('why', 'pod', 'pod-00000', '-n', 'team-a', '-o', 'json');
    const { items } = JSON.parse(out) as { items: readonly Record<string, unknown>[] };
    expect(items).toEqual([
      {
        kind: 'Explanation',
        of: { kind: 'pod', name: 'pod-00000' },
        from: 'Cluster',
        answer: expect.stringMatching(/^team-a\/pod-00000 .*: is held$/),
        because: expect.arrayContaining([expect.stringMatching(/^because of DeviceTaintRule unhealthy-gpus/)]),
      },
    ]);
  });

  it('pauses -o name prints each pause by its object, with the name of the pause if it can have several', async () => {
    const { out } = await scene.sluice('pauses', '-o', 'name');
    expect(out).toBe('evictionstop.sluice.dev/night\nevictionpolicy.sluice.dev/gpus:spec.paused\n');
  });
});

describe('a pod', () => {
  it.each(['why pod', 'describe pod', 'get pods'])(
    '%s takes NAME -n NAMESPACE, and NAMESPACE/NAME alike',
    async (verb) => {
      const apart = await scene.sluice(...verb.split(' '), 'pod-00000', '-n', 'team-a');
      expect(apart.status, apart.err).toBe(0);
      for (const more of [[], ['-n', 'team-a'], ['-A'], ['-n', 'other', '-A']])
        expect(await scene.sluice(...verb.split(' '), 'team-a/pod-00000', ...more)).toEqual(apart);
    },
  );

  it.each(['why pod', 'describe pod', 'get pods'])(
    '%s refuses a name and -n with different namespaces',
    async (verb) => {
      const { status, err } = await scene.sluice(...verb.split(' '), 'team-a/pod-00000', '-n', 'team-b');
      expect({ status, err }).toEqual({
        status: 2,
        err: 'error: pod team-a/pod-00000 and -n team-b have different namespaces\nomit -n\n',
      });
    },
  );

  it.each(['get pods', 'get evictions', 'events'])('%s lists all namespaces with -A, whatever -n is', async (verb) => {
    const all = await scene.sluice(...verb.split(' '), '-A');
    expect(await scene.sluice(...verb.split(' '), '-n', 'team-b', '-A')).toEqual(all);
  });
});
