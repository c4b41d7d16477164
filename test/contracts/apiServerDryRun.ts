// Contract: a server-side dry run answers as the request would, and changes nothing.
import { describe, expect, it } from 'vitest';
import { deviceTaintRule, pod } from '../../lib/local/cluster/builders.ts';
import type { JsonMap } from '../../lib/local/cluster/object.ts';
import {
  applyYaml,
  type CurrentServer,
  created,
  done,
  merge,
  nameOf,
  namespace,
  pods,
  rules,
  uniqueName,
} from './apiServerUnderTest.ts';

const taint = { key: 'example.com/unhealthy', effect: 'NoExecute' };

export function dryRunContract(server: CurrentServer): void {
  const call = (verb: string, path: string, body?: JsonMap, contentType?: string) =>
    server().client.call(verb, path, { ...(body ? { body } : {}), ...(contentType ? { contentType } : {}) });
  const newRule = () => created(server().client, rules, deviceTaintRule({ name: uniqueName('rule'), taint }));
  const newPod = () => created(server().client, pods, pod({ name: uniqueName('pod'), namespace, node: 'node-a' }));

  describe('a server-side dry run', () => {
    it('a dry run of a create answers with the object, and creates none', async () => {
      const manifest = deviceTaintRule({ name: uniqueName('rule'), taint });
      const made = done(await call('POST', `${rules}?dryRun=All`, manifest), 201);
      expect(made).toMatchObject({ spec: manifest.spec, metadata: { name: nameOf(manifest) } });
      expect((await call('GET', `${rules}/${nameOf(manifest)}`)).status).toBe(404);
    });

    it('a dry run of a patch answers with the change, and changes nothing', async () => {
      const rule = await newRule();
      const path = `${rules}/${nameOf(rule)}`;
      const annotations = { 'example.com/seen': 'yes' };
      const patched = done(await call('PATCH', `${path}?dryRun=All`, { metadata: { annotations } }, merge));
      expect(patched).toMatchObject({ metadata: { annotations } });
      expect(done(await call('GET', path))).toEqual(rule);
    });

    it('a dry run of a server-side apply creates nothing', async () => {
      const manifest = deviceTaintRule({ name: uniqueName('rule'), taint });
      const path = `${rules}/${nameOf(manifest)}`;
      const applied = await call('PATCH', `${path}?fieldManager=tried&dryRun=All`, manifest, applyYaml);
      expect(applied.status).toBe(201);
      expect((await call('GET', path)).status).toBe(404);
    });

    it.each([
      ['in the query', '?dryRun=All', undefined],
      ['in its options', '', { dryRun: ['All'] }],
    ] as const)('a dry run of a delete, written %s, keeps the object', async (_, query, body) => {
      const one = await newPod();
      const path = `${pods}/${nameOf(one)}`;
      done(await call('DELETE', `${path}${query}`, body));
      expect(done(await call('GET', path))).toEqual(one);
    });

    it('a dry run of an eviction keeps the pod as it is', async () => {
      const one = await newPod();
      const path = `${pods}/${nameOf(one)}`;
      const metadata = { name: nameOf(one), namespace };
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata, deleteOptions: { dryRun: ['All'] } };
      done(await call('POST', `${path}/eviction`, body), 201);
      expect(done(await call('GET', path))).toEqual(one);
    });

    it('a dry run other than All is refused, and nothing is created', async () => {
      const manifest = deviceTaintRule({ name: uniqueName('rule'), taint });
      expect((await call('POST', `${rules}?dryRun=Some`, manifest)).status).toBe(422);
      expect((await call('GET', `${rules}/${nameOf(manifest)}`)).status).toBe(404);
    });
  });
}
