// Contract: lists are consistent over their pages, select by label and field, and report when their version is too old.
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { type PodSpec, pod, resourceSlice } from '../../lib/local/cluster/builders.ts';
import { isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import {
  type CurrentServer,
  created,
  done,
  failure,
  nameOf,
  namespace,
  pods,
  slices,
  uniqueName,
} from './apiServerUnderTest.ts';

export function listContract(server: CurrentServer): void {
  const newPod = (spec: Partial<PodSpec>) =>
    created(server().client, pods, pod({ name: uniqueName('pod'), namespace, ...spec }));
  const list = async (path: string) => done(await server().client.call('GET', path));
  const items = (of: JsonMap) => listAt(of, 'items').filter(isMap);
  const encode = encodeURIComponent;

  describe('list', () => {
    it('a list names kind and version once, not in the items, and is sorted by name', async () => {
      const group = uniqueName('group');
      for (const name of ['b', 'a', 'c']) await newPod({ name: `${group}-${name}`, labels: { group } });
      const found = await list(`${pods}?labelSelector=${encode(`group=${group}`)}`);
      expect(found).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
      expect(items(found).map(nameOf)).toEqual([`${group}-a`, `${group}-b`, `${group}-c`]);
      expect(items(found).every((item) => !('kind' in item) && !('apiVersion' in item))).toBe(true);
    });

    it('each item of a list of custom resources has its kind and version', async () => {
      const { collection, apiVersion, kind } = server().custom;
      const name = uniqueName('custom');
      done(await server().client.call('POST', collection, { body: { apiVersion, kind, metadata: { name } } }), 201);
      const found = await list(collection);
      expect(found).toMatchObject({ kind: `${kind}List`, apiVersion });
      expect(items(found).find((item) => nameOf(item) === name)).toMatchObject({ kind, apiVersion });
    });

    it('the pages of a list show one version, whatever changes in between', async () => {
      const driver = `${uniqueName('d')}.example.com`;
      const names = ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => `${driver.split('.')[0]}-${name}`);
      for (const name of names)
        await created(
          server().client,
          slices,
          resourceSlice({ name, driver, node: 'node-a', devices: [{ name: 'd0' }] }),
        );
      const seen: string[] = [];
      const versions = new Set<string | undefined>();
      let token: string | undefined;
      do {
        const page: JsonMap = await list(`${slices}?limit=2${token ? `&continue=${token}` : ''}`);
        if (token === undefined) {
          const all = items(await list(slices)).length;
          expect(page.metadata).toMatchObject({ remainingItemCount: all - 2 });
          await created(
            server().client,
            slices,
            resourceSlice({ name: `${names[4]}-late`, driver, node: 'node-a', devices: [{ name: 'd0' }] }),
          );
          await server().client.call('DELETE', `${slices}/${names[3]}`);
        }
        seen.push(...items(page).map(nameOf));
        versions.add(textAt(page, 'metadata', 'resourceVersion'));
        token = textAt(page, 'metadata', 'continue');
      } while (token);
      expect(seen.filter((name) => name.startsWith(names[0]?.slice(0, -3) ?? ''))).toEqual(names);
      expect(versions.size).toBe(1);
    });

    it('the pages of a list with a selector have no remainingItemCount', async () => {
      const group = uniqueName('group');
      for (const node of ['node-a', 'node-b', 'node-a']) await newPod({ node, labels: { group } });
      const page = await list(`${pods}?limit=1&labelSelector=${encode(`group=${group}`)}`);
      expect(items(page)).toHaveLength(1);
      expect(page.metadata).toHaveProperty('continue');
      expect(page.metadata).not.toHaveProperty('remainingItemCount');
    });

    it.each([
      { selector: 'group=G', names: ['one', 'two', 'three'] },
      { selector: 'group==G,tier=front', names: ['one'] },
      { selector: 'group=G,tier!=front', names: ['two', 'three'] },
      { selector: 'group=G,tier in (front,back)', names: ['one', 'two'] },
      { selector: 'group=G,tier notin (front)', names: ['two', 'three'] },
      { selector: 'group=G,tier', names: ['one', 'two'] },
      { selector: 'group=G,!tier', names: ['three'] },
    ])('a list selects by label: $selector', async ({ selector, names }) => {
      const group = uniqueName('group');
      const one = await newPod({ labels: { group, tier: 'front' } });
      const two = await newPod({ labels: { group, tier: 'back' } });
      const three = await newPod({ labels: { group } });
      const by: Record<string, string> = { [nameOf(one)]: 'one', [nameOf(two)]: 'two', [nameOf(three)]: 'three' };
      const found = await list(`/api/v1/pods?labelSelector=${encode(selector.replace('G', group))}`);
      expect(
        items(found)
          .map((item) => by[nameOf(item)])
          .toSorted(),
      ).toEqual(names.toSorted());
    });

    it('a list selects by field: name, node, driver, pool', async () => {
      const node = uniqueName('node');
      const one = await newPod({ node });
      await newPod({ node: 'node-a' });
      const driver = `${uniqueName('d')}.example.com`;
      const slice = await created(
        server().client,
        slices,
        resourceSlice({ name: uniqueName('slice'), driver, node, devices: [{ name: 'd0' }] }),
      );
      const names = async (path: string) => items(await list(path)).map(nameOf);
      expect(await names(`/api/v1/pods?fieldSelector=${encode(`spec.nodeName=${node}`)}`)).toEqual([nameOf(one)]);
      expect(await names(`${pods}?fieldSelector=metadata.name%3D${nameOf(one)}`)).toEqual([nameOf(one)]);
      expect(await names(`${slices}?fieldSelector=spec.driver%3D${driver}`)).toEqual([nameOf(slice)]);
      expect(await names(`${slices}?fieldSelector=spec.nodeName%3D${node}`)).toEqual([nameOf(slice)]);
      const pool = textAt(slice, 'spec', 'pool', 'name') ?? '';
      const both = encode(`spec.driver=${driver},spec.pool.name=${pool}`);
      expect(await names(`${slices}?fieldSelector=${both}`)).toEqual([nameOf(slice)]);
      expect(await names(`${slices}?fieldSelector=${encode(`spec.driver=${driver},spec.pool.name=other`)}`)).toEqual(
        [],
      );
    });

    it('a list refuses a field that it cannot select by', async () => {
      const onPods = await server().client.call('GET', `${pods}?fieldSelector=spec.foo%3Dx`);
      const onSlices = await server().client.call('GET', `${slices}?fieldSelector=spec.foo%3Dx`);
      const message = 'field label not supported';
      expect(onPods.body).toEqual(failure({ code: 400, reason: 'BadRequest', message: `${message}: spec.foo` }));
      expect(onSlices.body).toEqual(
        failure({
          code: 400,
          reason: 'BadRequest',
          message: `${message} for resource.k8s.io/v1, Kind=ResourceSlice: spec.foo`,
        }),
      );
    });

    it('a list refuses a resourceVersion that is no number, and one from the future', async () => {
      const wrong = await server().client.call('GET', `${pods}?resourceVersion=abc`);
      expect(wrong).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
      const future = await server().client.call('GET', `${pods}?resourceVersion=999999999`);
      expect(future).toMatchObject({ status: 504, body: { reason: 'Timeout', details: { retryAfterSeconds: 1 } } });
    });

    it('a list refuses an invalid continue token', async () => {
      const answer = await server().client.call('GET', `${pods}?limit=1&continue=zzzz`);
      expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
      expect(textAt(answer.body, 'message')).toContain('invalid continue token');
    });

    it('a list with an expired continue token is 410 and offers a token that continues at the latest version', async () => {
      const { collection, version } = await server().expire();
      const old = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start: '/a\u0000' })).toString(
        'base64url',
      );
      const answer = await server().client.call('GET', `${collection}?limit=2&continue=${old}`);
      expect(answer).toMatchObject({ status: 410, body: { kind: 'Status', reason: 'Expired', code: 410 } });
      expect(textAt(answer.body, 'message')).toMatch(
        /^The provided continue parameter is too old to display a consistent list result\./,
      );
      const next = textAt(answer.body, 'metadata', 'continue') ?? '';
      done(await server().client.call('GET', `${collection}?limit=2&continue=${next}`));
    });

    it('a list at an exact version that is too old is 410', async () => {
      const { collection, version } = await server().expire();
      const path = `${collection}?limit=1&resourceVersion=${version}&resourceVersionMatch=Exact`;
      const message = 'The resourceVersion for the provided list is too old.';
      expect((await server().client.call('GET', path)).body).toEqual(
        failure({ code: 410, reason: 'Expired', message }),
      );
    });
  });
}
