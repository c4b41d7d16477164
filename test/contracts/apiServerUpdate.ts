// Contract: replace and patch; preconditions, generations, timeAdded, and the separation of spec and status.
import { describe, expect, it } from 'vitest';
import { deviceTaintRule, pod, resourceSlice } from '../../lib/local/cluster/builders.ts';
import { at, type JsonMap, listAt, mapAt, textAt } from '../../lib/local/cluster/object.ts';
import {
  type CurrentServer,
  created,
  done,
  failure,
  foreignUid,
  merge,
  namespace,
  pods,
  rules,
  slices,
  strategic,
  uidOf,
  uniqueName,
  versionOf,
} from './apiServerUnderTest.ts';

const taint = { key: 'example.com/unhealthy', effect: 'NoExecute', timeAdded: '2026-01-02T03:04:05Z' };
const condition = {
  type: 'EvictionInProgress',
  status: 'True',
  reason: 'R',
  message: 'm',
  lastTransitionTime: '2026-01-02T03:04:05Z',
};

export function updateContract(server: CurrentServer): void {
  const newRule = () => created(server().client, rules, deviceTaintRule({ name: uniqueName('rule'), taint }));
  const newPod = () => created(server().client, pods, pod({ name: uniqueName('pod'), namespace, node: 'node-a' }));
  const path = (collection: string, object: JsonMap) => `${collection}/${textAt(object, 'metadata', 'name')}`;
  const patch = (to: string, body: JsonMap, contentType = merge) =>
    server().client.call('PATCH', to, { body, contentType });

  describe('replace', () => {
    it('replacing a rule needs a resourceVersion in v1, and none in v1beta2', async () => {
      const rule = await newRule();
      const name = textAt(rule, 'metadata', 'name') ?? '';
      const body = { metadata: { name }, spec: rule.spec };
      const refused = await server().client.call('PUT', path(rules, rule), { body });
      const message = 'Invalid value: 0: must be specified for an update';
      expect(refused.body).toEqual(
        failure({
          code: 422,
          reason: 'Invalid',
          message: `devicetaintrules.resource.k8s.io "${name}" is invalid: metadata.resourceVersion: ${message}`,
          details: {
            name,
            group: 'resource.k8s.io',
            kind: 'devicetaintrules',
            causes: [{ reason: 'FieldValueInvalid', message, field: 'metadata.resourceVersion' }],
          },
        }),
      );
      const older = await server().client.call('PUT', `/apis/resource.k8s.io/v1beta2/devicetaintrules/${name}`, {
        body,
      });
      expect(done(older).apiVersion).toBe('resource.k8s.io/v1beta2');
    });

    it('replacing an older version is a conflict', async () => {
      const rule = await newRule();
      const name = textAt(rule, 'metadata', 'name') ?? '';
      done(await patch(path(rules, rule), { metadata: { labels: { a: 'b' } } }));
      const answer = await server().client.call('PUT', path(rules, rule), { body: rule });
      expect(answer.body).toEqual(
        failure({
          code: 409,
          reason: 'Conflict',
          message: `Operation cannot be fulfilled on devicetaintrules.resource.k8s.io "${name}": the object has been modified; please apply your changes to the latest version and try again`,
          details: { name, group: 'resource.k8s.io', kind: 'devicetaintrules' },
        }),
      );
    });

    it('replacing with the UID of another object is a conflict', async () => {
      const rule = await newRule();
      const metadata = { ...mapAt(rule, 'metadata'), uid: foreignUid };
      const answer = await server().client.call('PUT', path(rules, rule), { body: { ...rule, metadata } });
      expect(answer).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
      expect(textAt(answer.body, 'message')).toContain(
        `Precondition failed: UID in precondition: ${foreignUid}, UID in object meta: ${uidOf(rule)}`,
      );
    });

    it('replacing an object that does not exist never creates it', async () => {
      const name = uniqueName('rule');
      const answer = await server().client.call('PUT', `${rules}/${name}`, {
        body: { metadata: { name, resourceVersion: '1' }, spec: { taint } },
      });
      expect(answer).toMatchObject({ status: 404, body: { reason: 'NotFound', details: { name } } });
    });

    it('replacing a rule without timeAdded sets a new timeAdded', async () => {
      const rule = await newRule();
      const { timeAdded, ...rest } = taint;
      const body = { ...rule, spec: { taint: rest } };
      const next = done(await server().client.call('PUT', path(rules, rule), { body }));
      expect(textAt(next, 'spec', 'taint', 'timeAdded')).not.toBe(timeAdded);
      expect(at(next, 'metadata', 'generation')).toBe(2);
    });
  });

  describe('a rule', () => {
    it.each([
      { changed: 'value', spec: { taint: { value: 'x' } }, generation: 2, bumped: false },
      { changed: 'key', spec: { taint: { key: 'other' } }, generation: 2, bumped: false },
      { changed: 'selector', spec: { deviceSelector: { pool: 'p' } }, generation: 2, bumped: false },
      { changed: 'effect', spec: { taint: { effect: 'None' } }, generation: 2, bumped: true },
      { changed: 'nothing', spec: { taint: { effect: 'NoExecute' } }, generation: 1, bumped: false },
    ])(
      'a rule whose $changed changed has generation $generation, timeAdded bumped: $bumped',
      async ({ spec, generation, bumped }) => {
        const rule = await newRule();
        const next = done(await patch(path(rules, rule), { spec }));
        expect(at(next, 'metadata', 'generation')).toBe(generation);
        expect(textAt(next, 'spec', 'taint', 'timeAdded') !== taint.timeAdded).toBe(bumped);
        expect(versionOf(next) === versionOf(rule)).toBe(generation === 1);
      },
    );

    it('a rule whose effect and timeAdded change together keeps the timeAdded that was sent', async () => {
      const rule = await newRule();
      const timeAdded = '2031-01-01T00:00:00Z';
      const next = done(await patch(path(rules, rule), { spec: { taint: { effect: 'NoSchedule', timeAdded } } }));
      expect(textAt(next, 'spec', 'taint', 'timeAdded')).toBe(timeAdded);
    });

    it('a write of a rule changes labels without a new generation, and never its status', async () => {
      const rule = await newRule();
      const next = done(
        await patch(path(rules, rule), { metadata: { labels: { a: 'b' } }, status: { conditions: [condition] } }),
      );
      expect(next).toMatchObject({ metadata: { labels: { a: 'b' }, generation: 1 }, status: {} });
      expect(next.status).toEqual({});
    });

    it('a write of the status of a rule changes neither spec nor metadata', async () => {
      const rule = await newRule();
      const next = done(
        await patch(`${path(rules, rule)}/status`, {
          metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['example.com/x'] },
          spec: { taint: { effect: 'None' } },
          status: { conditions: [condition] },
        }),
      );
      expect(mapAt(next, 'metadata')).not.toHaveProperty('labels');
      expect(mapAt(next, 'metadata')).not.toHaveProperty('finalizers');
      expect(next).toMatchObject({ metadata: { generation: 1 }, spec: rule.spec, status: { conditions: [condition] } });
      const { status: read } = done(await server().client.call('GET', path(rules, rule)));
      expect(read).toEqual(next.status);
    });
  });

  describe('a slice', () => {
    it('a change of the devices of a slice increments its generation', async () => {
      const name = uniqueName('slice');
      const manifest = (taints: readonly (typeof taint)[]) =>
        resourceSlice({ name, driver: 'd.example.com', node: 'node-a', devices: [{ name: 'd0', taints }] });
      await created(server().client, slices, manifest([]));
      const tainted = done(await server().client.call('PUT', `${slices}/${name}`, { body: manifest([taint]) }));
      expect(at(tainted, 'metadata', 'generation')).toBe(2);
      expect(listAt(listAt(tainted, 'spec', 'devices')[0], 'taints')).toEqual([taint]);
    });
  });

  describe('patch', () => {
    it('a patch with an older resourceVersion is a conflict', async () => {
      const one = await newPod();
      const name = textAt(one, 'metadata', 'name') ?? '';
      const answer = await patch(
        `${path(pods, one)}/status`,
        { metadata: { resourceVersion: '1' }, status: {} },
        strategic,
      );
      expect(answer.body).toEqual(
        failure({
          code: 409,
          reason: 'Conflict',
          message: `Operation cannot be fulfilled on pods "${name}": the object has been modified; please apply your changes to the latest version and try again`,
          details: { name, kind: 'pods' },
        }),
      );
    });

    it.each([strategic, merge])(
      'a patch with the UID of another object is refused as a change of an immutable field (%s)',
      async (contentType) => {
        const one = await newPod();
        const name = textAt(one, 'metadata', 'name') ?? '';
        const body = { metadata: { uid: foreignUid }, status: { conditions: [condition] } };
        const answer = await patch(`${path(pods, one)}/status`, body, contentType);
        const message = `Invalid value: "${foreignUid}": field is immutable`;
        expect(answer.status).toBe(422);
        expect(answer.body).toEqual(
          failure({
            code: 422,
            reason: 'Invalid',
            message: `Pod "${name}" is invalid: metadata.uid: ${message}`,
            details: { name, kind: 'Pod', causes: [{ reason: 'FieldValueInvalid', message, field: 'metadata.uid' }] },
          }),
        );
      },
    );

    it.each([strategic, merge])(
      'a patch of a pod that does not exist is 404, even with a UID (%s)',
      async (contentType) => {
        const name = uniqueName('pod');
        const answer = await patch(
          `${pods}/${name}/status`,
          { metadata: { uid: foreignUid }, status: {} },
          contentType,
        );
        const details = { name, kind: 'pods' };
        expect(answer.body).toEqual(
          failure({ code: 404, reason: 'NotFound', message: `pods "${name}" not found`, details }),
        );
      },
    );

    it('a strategic merge patch with the right UID merges pod conditions by type', async () => {
      const one = await newPod();
      const ready = { type: 'Ready', status: 'True' };
      done(await patch(`${path(pods, one)}/status`, { status: { phase: 'Running', conditions: [ready] } }, strategic));
      const target = { ...condition, type: 'DisruptionTarget', reason: 'DeletionByDeviceTaintManager' };
      const body = { metadata: { uid: uidOf(one) }, status: { conditions: [target] } };
      const next = done(await patch(`${path(pods, one)}/status`, body, strategic));
      const conditions = listAt(next, 'status', 'conditions');
      expect(conditions).toHaveLength(2);
      expect(conditions).toContainEqual(expect.objectContaining(ready));
      expect(conditions).toContainEqual(expect.objectContaining(target));
      expect(textAt(next, 'status', 'phase')).toBe('Running');
    });

    it('a strategic merge patch that is sent a second time changes nothing', async () => {
      const one = await newPod();
      const body = {
        metadata: { uid: uidOf(one) },
        status: { conditions: [{ ...condition, type: 'DisruptionTarget' }] },
      };
      const first = done(await patch(`${path(pods, one)}/status`, body, strategic));
      const second = done(await patch(`${path(pods, one)}/status`, body, strategic));
      expect(versionOf(second)).toBe(versionOf(first));
    });

    it('a merge patch replaces the list of conditions', async () => {
      const one = await newPod();
      done(await patch(`${path(pods, one)}/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }));
      const next = done(
        await patch(`${path(pods, one)}/status`, { status: { conditions: [{ type: 'Other', status: 'True' }] } }),
      );
      expect(listAt(next, 'status', 'conditions').map((each) => textAt(each, 'type'))).toEqual(['Other']);
    });

    it('a patch of the status of a pod does not change its spec', async () => {
      const one = await newPod();
      const body = { spec: { nodeName: 'elsewhere' }, status: { phase: 'Running' } };
      const next = done(await patch(`${path(pods, one)}/status`, body, strategic));
      expect(next).toMatchObject({
        spec: { nodeName: 'node-a' },
        status: { phase: 'Running' },
        metadata: { generation: 1 },
      });
    });

    it('a patch in an unknown format is 415, and one that is not JSON is 400', async () => {
      const one = await newPod();
      const unknown = await patch(path(pods, one), {}, 'application/json');
      const broken = await server().client.call('PATCH', path(pods, one), { body: '{bad', contentType: merge });
      expect(unknown).toMatchObject({ status: 415, body: { reason: 'UnsupportedMediaType' } });
      expect(broken.body).toEqual(failure({ code: 400, reason: 'BadRequest', message: 'invalid JSON patch' }));
    });

    it('a JSON patch adds, replaces and removes fields', async () => {
      const one = await newPod();
      const operations = [
        { op: 'add', path: '/metadata/labels', value: { a: 'b', 'c/d': 'e' } },
        { op: 'replace', path: '/metadata/labels/a', value: 'x' },
        { op: 'remove', path: '/metadata/labels/c~1d' },
      ];
      const body = JSON.stringify(operations);
      const answer = await server().client.call('PATCH', path(pods, one), {
        body,
        contentType: 'application/json-patch+json',
      });
      expect(at(done(answer), 'metadata', 'labels')).toEqual({ a: 'x' });
    });
  });
}
