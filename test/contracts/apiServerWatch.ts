// Contract: a watch continues from a version without gaps, reports its progress, ends at its timeout, and reports an expired version.
import { describe, expect, it } from 'vitest';
import { deviceTaintRule, pod } from '../../lib/local/cluster/builders.ts';
import type { WatchEvent } from '../../lib/local/cluster/client.ts';
import { at, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import {
  type CurrentServer,
  collect,
  created,
  done,
  merge,
  nameOf,
  namespace,
  pods,
  rules,
  uniqueName,
  versionOf,
} from './apiServerUnderTest.ts';

const taint = { key: 'example.com/unhealthy', effect: 'None' };

export function watchContract(server: CurrentServer): void {
  const currentVersion = async (path: string) => versionOf(done(await server().client.call('GET', `${path}?limit=1`)));
  const watch = (path: string) => server().client.watch(path);
  const label = (path: string, labels: JsonMap) =>
    server().client.call('PATCH', path, { body: { metadata: { labels } }, contentType: merge });
  const types = (of: readonly WatchEvent[]) => of.map((event) => event.type);
  const objects = (of: readonly WatchEvent[]) => of.filter((event) => event.type !== 'BOOKMARK');

  // Most of these tests wait for the end of a stream, so they wait together.
  describe.concurrent('watch', () => {
    it('a watch shows every change after the version of a list, in order, each with its own version', async () => {
      const from = await currentVersion(rules);
      const name = uniqueName('rule');
      await created(server().client, rules, deviceTaintRule({ name, taint }));
      done(await label(`${rules}/${name}`, { a: 'b' }));
      done(await server().client.call('DELETE', `${rules}/${name}`));
      const selected = `fieldSelector=metadata.name%3D${name}`;
      const seen = await collect(watch(`${rules}?watch=1&resourceVersion=${from}&timeoutSeconds=1&${selected}`));
      expect(types(seen)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
      expect(seen.map((event) => event.object.kind)).toEqual(Array(3).fill('DeviceTaintRule'));
      const versions = seen.map((event) => Number(versionOf(event.object)));
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect(new Set([...versions, Number(from)]).size).toBe(4);
    });

    it('a watch shows changes as they happen', async () => {
      const name = uniqueName('rule');
      const stream = watch(`${rules}?watch=1&fieldSelector=metadata.name%3D${name}&timeoutSeconds=20`);
      const first = stream.next();
      await created(server().client, rules, deviceTaintRule({ name, taint }));
      expect((await first).value).toMatchObject({ type: 'ADDED', object: { metadata: { name } } });
      const second = stream.next();
      done(await server().client.call('DELETE', `${rules}/${name}`));
      expect((await second).value).toMatchObject({ type: 'DELETED' });
      await stream.return();
    });

    it.each(['', '0'])(
      'a watch without a version to continue from (`%s`) first shows the existing objects',
      async (version) => {
        const name = uniqueName('rule');
        await created(server().client, rules, deviceTaintRule({ name, taint }));
        const seen = await collect(
          watch(
            `${rules}?watch=true&resourceVersion=${version}&timeoutSeconds=1&fieldSelector=metadata.name%3D${name}`,
          ),
        );
        expect(types(seen)).toEqual(['ADDED']);
      },
    );

    it('a watch shows the deletion of a pod as MODIFIED and DELETED, even if both happen at once', async () => {
      const name = uniqueName('pod');
      const from = await currentVersion(pods);
      await created(server().client, pods, pod({ name, namespace, node: 'node-a' }));
      done(await server().client.call('DELETE', `${pods}/${name}`, { body: { gracePeriodSeconds: 0 } }));
      const seen = await collect(
        watch(`${pods}?watch=1&resourceVersion=${from}&timeoutSeconds=1&fieldSelector=metadata.name%3D${name}`),
      );
      expect(types(seen)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
      expect(seen.map((event) => at(event.object, 'metadata', 'deletionGracePeriodSeconds'))).toEqual([
        undefined,
        0,
        0,
      ]);
    });

    it('a watch shows an object that leaves the selection as DELETED, with its old content and the version of the change', async () => {
      const [name, group] = [uniqueName('pod'), uniqueName('group')];
      await created(server().client, pods, pod({ name, namespace }));
      const from = await currentVersion(pods);
      for (const labels of [{ group }, { other: 'x' }, { group: null }, { group }])
        done(await label(`${pods}/${name}`, labels));
      const now = versionOf(done(await server().client.call('GET', `${pods}/${name}`)));
      const seen = await collect(
        watch(`/api/v1/pods?watch=1&resourceVersion=${from}&timeoutSeconds=1&labelSelector=group%3D${group}`),
      );
      expect(types(seen)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED']);
      const left = seen[2]?.object ?? {};
      expect(at(left, 'metadata', 'labels')).toEqual({ group, other: 'x' });
      expect(Number(versionOf(left))).toBeGreaterThan(Number(versionOf(seen[1]?.object ?? {})));
      expect(Number(versionOf(left))).toBeLessThan(Number(now));
    });

    it('a watch sends bookmarks even if nothing that it selects changes, and ends at its timeout', async () => {
      const from = await currentVersion('/api/v1/namespaces/kube-system/pods');
      await created(server().client, rules, deviceTaintRule({ name: uniqueName('rule'), taint }));
      const path = `/api/v1/namespaces/kube-system/pods?watch=1&resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=4`;
      // A server sends one some two seconds before it ends the watch, and none when it is late with that.
      let seen: readonly WatchEvent[] = [];
      for (let tries = 0; tries < 5 && seen.length === 0; tries++) seen = await collect(watch(path));
      expect(objects(seen)).toEqual([]);
      const last = seen.at(-1);
      expect(last).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1' } });
      expect(Number(versionOf(last?.object ?? {}))).toBeGreaterThanOrEqual(Number(from));
      expect(textAt(last?.object, 'metadata', 'name')).toBeUndefined();
    });

    it('a watch sends a bookmark after its initial events', async () => {
      const name = uniqueName('rule');
      await created(server().client, rules, deviceTaintRule({ name, taint }));
      // Version 0 is whatever the server's cache has, which may be behind.
      const cached = async () => (await server().client.call('GET', `${rules}?resourceVersion=0`)).body;
      for (let i = 0; i < 100 && !listAt(await cached(), 'items').some((one) => nameOf(one as JsonMap) === name); i++)
        await new Promise((resolve) => setTimeout(resolve, 100));
      const seen = await collect(watch(`${rules}?watch=1&resourceVersion=0&allowWatchBookmarks=true&timeoutSeconds=4`));
      const end = seen.findIndex(
        (event) => at(event.object, 'metadata', 'annotations') !== undefined && event.type === 'BOOKMARK',
      );
      expect(at(seen[end]?.object, 'metadata', 'annotations')).toEqual({ 'k8s.io/initial-events-end': 'true' });
      expect(seen.slice(0, end).map((event) => nameOf(event.object))).toContain(name);
    });

    it('a watch sends no bookmarks unless it is asked to', async () => {
      const quiet = '/api/v1/namespaces/kube-system/pods';
      const from = await currentVersion(quiet);
      expect(await collect(watch(`${quiet}?watch=1&resourceVersion=${from}&timeoutSeconds=3`))).toEqual([]);
    });

    it('a watch from a version that is too old answers 200 and a single ERROR with a 410 Status', async () => {
      const { collection, version } = await server().expire();
      const seen = await collect(watch(`${collection}?watch=1&resourceVersion=${version}&timeoutSeconds=5`));
      expect(seen).toEqual([
        {
          type: 'ERROR',
          object: {
            kind: 'Status',
            apiVersion: 'v1',
            metadata: {},
            status: 'Failure',
            message: expect.stringMatching(new RegExp(`^too old resource version: ${version} \\(\\d+\\)$`)),
            reason: 'Expired',
            code: 410,
          },
        },
      ]);
    });

    it('a watch from a version that is no number is refused', async () => {
      const answer = await server().client.call('GET', `${rules}?watch=1&resourceVersion=abc&timeoutSeconds=1`);
      expect(answer).toMatchObject({ status: 500, body: { kind: 'Status', status: 'Failure', code: 500 } });
    });

    it('a watch from a future version sends nothing', async () => {
      const future = Number(await currentVersion(rules)) + 100_000;
      expect(await collect(watch(`${rules}?watch=1&resourceVersion=${future}&timeoutSeconds=1`))).toEqual([]);
    });
  });
}
