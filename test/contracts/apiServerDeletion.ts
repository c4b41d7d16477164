// Contract: deletion with preconditions, grace periods and finalizers, and the Eviction subresource.
import { describe, expect, it } from 'vitest';
import { deviceTaintRule, type PodSpec, pod } from '../../lib/local/cluster/builders.ts';
import { at, type JsonMap, listAt, mapAt, textAt } from '../../lib/local/cluster/object.ts';
import {
  type CurrentServer,
  created,
  done,
  failure,
  foreignUid,
  merge,
  nameOf,
  namespace,
  pods,
  rules,
  uidOf,
  uniqueName,
  versionOf,
} from './apiServerUnderTest.ts';

const taint = { key: 'example.com/unhealthy', effect: 'NoExecute' };

export function deletionContract(server: CurrentServer): void {
  const newPod = (spec: Partial<PodSpec> = {}) =>
    created(server().client, pods, pod({ name: uniqueName('pod'), namespace, node: 'node-a', ...spec }));
  const newRule = (metadata: JsonMap = {}) => {
    const manifest = deviceTaintRule({ name: uniqueName('rule'), taint });
    return created(server().client, rules, { ...manifest, metadata: { ...mapAt(manifest, 'metadata'), ...metadata } });
  };
  const remove = (path: string, body?: JsonMap) => server().client.call('DELETE', path, body ? { body } : {});
  const get = (path: string) => server().client.call('GET', path);
  const pathOf = (object: JsonMap) => `${pods}/${nameOf(object)}`;

  describe('delete', () => {
    it('a delete with the UID of another object is a conflict that changes nothing', async () => {
      const one = await newPod();
      const answer = await remove(pathOf(one), { preconditions: { uid: foreignUid } });
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual(
        failure({
          code: 409,
          reason: 'Conflict',
          message:
            `Operation cannot be fulfilled on Pod "${nameOf(one)}": the UID in the precondition (${foreignUid}) does not match ` +
            `the UID in record (${uidOf(one)}). The object might have been deleted and then recreated`,
          details: { name: nameOf(one), kind: 'Pod' },
        }),
      );
      expect(done(await get(pathOf(one)))).toEqual(one);
    });

    it('a conflict on the delete of a rule names kind and group', async () => {
      const rule = await newRule();
      const answer = await remove(`${rules}/${nameOf(rule)}`, { preconditions: { uid: foreignUid } });
      expect(answer.body).toMatchObject({
        code: 409,
        details: { name: nameOf(rule), group: 'resource.k8s.io', kind: 'DeviceTaintRule' },
      });
      expect(textAt(answer.body, 'message')).toContain(`on DeviceTaintRule.resource.k8s.io "${nameOf(rule)}"`);
    });

    it('a delete with an older resourceVersion is a conflict', async () => {
      const one = await newPod();
      const answer = await remove(pathOf(one), { preconditions: { resourceVersion: '1' } });
      expect(answer.body).toEqual(
        failure({
          code: 409,
          reason: 'Conflict',
          message:
            `Operation cannot be fulfilled on Pod "${nameOf(one)}": the ResourceVersion in the precondition (1) does not match ` +
            `the ResourceVersion in record (${versionOf(one)}). The object might have been modified`,
          details: { name: nameOf(one), kind: 'Pod' },
        }),
      );
    });

    it('a delete of a rule answers with its UID, and the rule is gone', async () => {
      const rule = await newRule();
      const details = { name: nameOf(rule), group: 'resource.k8s.io', kind: 'devicetaintrules' };
      const answer = await remove(`${rules}/${nameOf(rule)}`, { preconditions: { uid: uidOf(rule) } });
      expect(answer).toMatchObject({ status: 200 });
      expect(answer.body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { ...details, uid: uidOf(rule) },
      });
      const message = `devicetaintrules.resource.k8s.io "${nameOf(rule)}" not found`;
      const gone = failure({ code: 404, reason: 'NotFound', message, details });
      expect((await remove(`${rules}/${nameOf(rule)}`)).body).toEqual(gone);
      expect((await get(`${rules}/${nameOf(rule)}`)).body).toEqual(gone);
    });
  });

  describe('deletion of a pod', () => {
    it('deleting a scheduled pod only marks it, with its own grace period, until the kubelet deletes it without grace', async () => {
      const one = await newPod({ graceSeconds: 40 });
      const before = Date.now();
      const marked = done(await remove(pathOf(one), { preconditions: { uid: uidOf(one) } }));
      const metadata = mapAt(marked, 'metadata') ?? {};
      expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 40, generation: 2, uid: uidOf(one) });
      const ends = Date.parse(textAt(marked, 'metadata', 'deletionTimestamp') ?? '');
      expect(Math.abs(ends - (before + 40_000))).toBeLessThan(3_000);
      expect(done(await get(pathOf(one)))).toEqual(marked);
      const last = done(await remove(pathOf(one), { gracePeriodSeconds: 0, preconditions: { uid: uidOf(one) } }));
      expect(at(last, 'metadata', 'deletionGracePeriodSeconds')).toBe(0);
      expect(await get(pathOf(one))).toMatchObject({ status: 404 });
    });

    it('deleting a pod again changes nothing, except that a shorter grace period replaces a longer one', async () => {
      const one = await newPod();
      const first = done(await remove(pathOf(one)));
      const second = done(await remove(pathOf(one), {}));
      expect(versionOf(second)).toBe(versionOf(first));
      const shorter = done(await remove(pathOf(one), { gracePeriodSeconds: 10 }));
      expect(at(shorter, 'metadata', 'deletionGracePeriodSeconds')).toBe(10);
      expect(at(shorter, 'metadata', 'generation')).toBe(2);
      const longer = done(await remove(pathOf(one), { gracePeriodSeconds: 50 }));
      expect(at(longer, 'metadata', 'deletionGracePeriodSeconds')).toBe(10);
    });

    it.each([
      { what: 'is not scheduled', spec: { node: '' } },
      { what: 'has no grace period', spec: { graceSeconds: 0 } },
    ])('a pod that $what is deleted at once', async ({ spec }) => {
      const one = await newPod(spec);
      const last = done(await remove(pathOf(one)));
      expect(mapAt(last, 'metadata')).toMatchObject({ deletionGracePeriodSeconds: 0, uid: uidOf(one) });
      expect(await get(pathOf(one))).toMatchObject({ status: 404 });
    });

    it('a pod that has finished is deleted at once', async () => {
      const one = await newPod();
      done(
        await server().client.call('PATCH', `${pathOf(one)}/status`, {
          body: { status: { phase: 'Succeeded' } },
          contentType: merge,
        }),
      );
      done(await remove(pathOf(one)));
      expect(await get(pathOf(one))).toMatchObject({ status: 404 });
    });

    it('the deletion of a pod waits for its finalizers, and none can be added', async () => {
      const one = await newPod({ finalizers: ['example.com/hold'] });
      const held = done(await remove(pathOf(one), { gracePeriodSeconds: 0 }));
      const again = done(await remove(pathOf(one), { gracePeriodSeconds: 0 }));
      expect(mapAt(held, 'metadata')).toMatchObject({
        finalizers: ['example.com/hold'],
        deletionGracePeriodSeconds: 0,
      });
      expect(versionOf(again)).toBe(versionOf(held));
      const finalizers = (list: readonly string[]) =>
        server().client.call('PATCH', pathOf(one), { body: { metadata: { finalizers: list } }, contentType: merge });
      const more = await finalizers(['example.com/hold', 'example.com/new']);
      const message =
        'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/new"}';
      expect(listAt(more.body, 'details', 'causes')).toEqual([
        { field: 'metadata.finalizers', reason: 'FieldValueForbidden', message },
      ]);
      done(await finalizers([]));
      expect(await get(pathOf(one))).toMatchObject({ status: 404 });
    });
  });

  describe('deletion of a rule', () => {
    it('the deletion of a rule waits for its finalizers and increments its generation', async () => {
      const rule = await newRule({ finalizers: ['example.com/hold'] });
      const path = `${rules}/${nameOf(rule)}`;
      const marked = done(await remove(path));
      expect(mapAt(marked, 'metadata')).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 0 });
      expect(textAt(marked, 'metadata', 'deletionTimestamp')).toMatch(/Z$/);
      done(await server().client.call('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: merge }));
      expect(await get(path)).toMatchObject({ status: 404 });
    });
  });

  describe('eviction', () => {
    it('an eviction sets the DisruptionTarget condition of the pod and deletes it', async () => {
      const one = await newPod();
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: nameOf(one), namespace } };
      const answer = await server().client.call('POST', `${pathOf(one)}/eviction`, { body });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
      const marked = done(await get(pathOf(one)));
      expect(mapAt(marked, 'metadata')).toMatchObject({ deletionGracePeriodSeconds: 30 });
      expect(listAt(marked, 'status', 'conditions')).toContainEqual(
        expect.objectContaining({
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        }),
      );
    });

    it('an eviction of a pod that does not exist is 404', async () => {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'no-such-pod', namespace } };
      const answer = await server().client.call('POST', `${pods}/no-such-pod/eviction`, { body });
      expect(answer).toMatchObject({ status: 404, body: { reason: 'NotFound' } });
    });
  });

  describe('deletion of a collection', () => {
    it('deleting a collection removes the selected pods and no others', async () => {
      const group = uniqueName('group');
      const chosen = await newPod({ labels: { group, chosen: 'yes' }, graceSeconds: 0 });
      const other = await newPod({ labels: { group } });
      done(await remove(`${pods}?labelSelector=group%3D${group},chosen%3Dyes`));
      expect([(await get(pathOf(chosen))).status, (await get(pathOf(other))).status]).toEqual([404, 200]);
    });
  });
}
