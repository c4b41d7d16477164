// Contract: what a create stores, and what it refuses.
import { describe, expect, it } from 'vitest';
import { deviceTaintRule, pod, resourceClaim, resourceSlice } from '../../lib/local/cluster/builders.ts';
import { at, listAt, mapAt, textAt } from '../../lib/local/cluster/object.ts';
import {
  type CurrentServer,
  claims,
  created,
  events,
  failure,
  namespace,
  pods,
  rules,
  slices,
  uniqueName,
  withoutServerMetadata,
} from './apiServerUnderTest.ts';

const taint = { key: 'example.com/unhealthy', effect: 'NoExecute' };

export function createContract(server: CurrentServer): void {
  describe('create', () => {
    it('a new rule has generation 1, no status, and timeAdded in whole seconds', async () => {
      const name = uniqueName('rule');
      const before = Math.floor(Date.now() / 1000) * 1000;
      const rule = await created(server().client, rules, {
        ...deviceTaintRule({ name, deviceSelector: { driver: 'gpu.example.com' }, taint }),
        metadata: { name, generation: 42 },
        status: {
          conditions: [
            { type: 'X', status: 'True', reason: 'R', message: '', lastTransitionTime: '2020-01-01T00:00:00Z' },
          ],
        },
      });
      const timeAdded = textAt(rule, 'spec', 'taint', 'timeAdded') ?? '';
      expect(withoutServerMetadata(rule)).toEqual({
        kind: 'DeviceTaintRule',
        apiVersion: 'resource.k8s.io/v1',
        metadata: { name, generation: 1 },
        spec: { deviceSelector: { driver: 'gpu.example.com' }, taint: { ...taint, timeAdded } },
        status: {},
      });
      expect(timeAdded).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(Date.parse(timeAdded)).toBeGreaterThanOrEqual(before);
      expect(textAt(rule, 'metadata', 'creationTimestamp')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(textAt(rule, 'metadata', 'uid')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(textAt(rule, 'metadata', 'resourceVersion')).toMatch(/^\d+$/);
    });

    it('a new rule keeps an absent and an empty selector apart', async () => {
      const absent = await created(server().client, rules, deviceTaintRule({ name: uniqueName('rule'), taint }));
      const empty = await created(
        server().client,
        rules,
        deviceTaintRule({ name: uniqueName('rule'), deviceSelector: {}, taint: { ...taint, effect: 'None' } }),
      );
      expect(mapAt(absent, 'spec')).not.toHaveProperty('deviceSelector');
      expect(at(empty, 'spec', 'deviceSelector')).toEqual({});
    });

    it('a create with a name that is taken is refused with 409', async () => {
      const name = uniqueName('rule');
      await created(server().client, rules, deviceTaintRule({ name, taint }));
      const answer = await server().client.call('POST', rules, { body: deviceTaintRule({ name, taint }) });
      expect(answer.status).toBe(409);
      expect(answer.body).toEqual(
        failure({
          code: 409,
          reason: 'AlreadyExists',
          message: `devicetaintrules.resource.k8s.io "${name}" already exists`,
          details: { name, group: 'resource.k8s.io', kind: 'devicetaintrules' },
        }),
      );
    });

    it.each([
      {
        given: 'unknown effect',
        taint: { key: 'a', effect: 'Bogus' },
        field: 'spec.taint.effect',
        reason: 'FieldValueNotSupported',
        message: 'Unsupported value: "Bogus": supported values: "NoExecute", "NoSchedule", "None"',
      },
      {
        given: 'missing effect',
        taint: { key: 'a', effect: '' },
        field: 'spec.taint.effect',
        reason: 'FieldValueRequired',
        message: 'Required value',
      },
      {
        given: 'PreferNoSchedule',
        taint: { key: 'a', effect: 'PreferNoSchedule' },
        field: 'spec.taint.effect',
        reason: 'FieldValueNotSupported',
        message: 'Unsupported value: "PreferNoSchedule": supported values: "NoExecute", "NoSchedule", "None"',
      },
    ])('a create refuses a rule with $given', async ({ taint: wrong, field, reason, message }) => {
      const name = uniqueName('rule');
      const answer = await server().client.call('POST', rules, { body: deviceTaintRule({ name, taint: wrong }) });
      expect(answer.status).toBe(422);
      expect(answer.body).toEqual(
        failure({
          code: 422,
          reason: 'Invalid',
          message: `DeviceTaintRule.resource.k8s.io "${name}" is invalid: ${field}: ${message}`,
          details: { name, group: 'resource.k8s.io', kind: 'DeviceTaintRule', causes: [{ reason, message, field }] },
        }),
      );
    });

    it('a refused create names every mistake at once', async () => {
      const answer = await server().client.call('POST', rules, {
        body: deviceTaintRule({ name: 'Not_A_Name', taint: { key: '', effect: 'Bogus' } }),
      });
      const fields = listAt(answer.body, 'details', 'causes').map((cause) => textAt(cause, 'field'));
      expect(fields).toEqual(['metadata.name', 'spec.taint.key', 'spec.taint.key', 'spec.taint.effect']);
    });

    it('a create generates a name from generateName', async () => {
      const manifest = { ...pod({ name: '', namespace }), metadata: { generateName: 'made-up-' } };
      const one = await created(server().client, pods, manifest);
      expect(textAt(one, 'metadata', 'name')).toMatch(/^made-up-[a-z0-9]{5}$/);
    });

    it.each([
      { what: 'no name', collection: pods, body: pod({ name: '', namespace }), code: 422, reason: 'Invalid' },
      {
        what: 'another kind',
        collection: pods,
        body: { kind: 'Node', apiVersion: 'v1' },
        code: 400,
        reason: 'BadRequest',
      },
      {
        what: 'another namespace',
        collection: pods,
        body: pod({ name: 'x', namespace: 'elsewhere' }),
        code: 400,
        reason: 'BadRequest',
      },
      { what: 'no JSON', collection: pods, body: '{bad', code: 400, reason: 'BadRequest' },
      {
        what: 'an unknown namespace',
        collection: '/api/v1/namespaces/nowhere/pods',
        body: pod({ name: 'x', namespace: 'nowhere' }),
        code: 404,
        reason: 'NotFound',
      },
    ])('a create refuses a body with $what: $code $reason', async ({ collection, body, code, reason }) => {
      const answer = await server().client.call('POST', collection, { body });
      expect(answer.status).toBe(code);
      expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', reason, code });
    });

    it('a new pod is Pending, whatever status was sent, with a grace period of 30 seconds', async () => {
      const name = uniqueName('pod');
      const manifest = { ...pod({ name, namespace, node: 'node-a' }), status: { phase: 'Running' } };
      const one = await created(server().client, pods, manifest);
      expect(one.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
      expect(one.spec).toMatchObject({
        nodeName: 'node-a',
        terminationGracePeriodSeconds: 30,
        schedulerName: 'default-scheduler',
        restartPolicy: 'Always',
        priority: 0,
      });
      expect(at(one, 'metadata', 'generation')).toBe(1);
    });

    it('a create sets the defaults of a claim and a slice', async () => {
      const manifest = resourceClaim({
        name: uniqueName('claim'),
        namespace,
        deviceClass: 'gpu.example.com',
        tolerations: [{ key: 'a' }],
      });
      const claim = await created(server().client, claims, manifest);
      expect(claim.status).toEqual({});
      expect(mapAt(claim, 'metadata')).not.toHaveProperty('generation');
      expect(at(listAt(claim, 'spec', 'devices', 'requests')[0], 'exactly')).toEqual({
        deviceClassName: 'gpu.example.com',
        allocationMode: 'ExactCount',
        count: 1,
        tolerations: [{ key: 'a', operator: 'Equal' }],
      });
      const name = uniqueName('slice');
      const devices = [{ name: 'd0', taints: [taint] }, { name: 'd1' }];
      const slice = await created(
        server().client,
        slices,
        resourceSlice({ name, driver: 'd.example.com', node: 'node-a', devices }),
      );
      expect(at(slice, 'metadata', 'generation')).toBe(1);
      expect(textAt(listAt(listAt(slice, 'spec', 'devices')[0], 'taints')[0], 'timeAdded')).toMatch(/^\d{4}-.*:\d\dZ$/);
      expect(listAt(slice, 'spec', 'devices')[1]).not.toHaveProperty('taints');
    });

    it('a second Event of the same name is refused with 409', async () => {
      const name = uniqueName('event');
      const event = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        involvedObject: { kind: 'Pod', namespace, name: 'x', uid: 'u' },
        reason: 'R',
        message: 'M',
        type: 'Normal',
      };
      await created(server().client, events, event);
      const again = await server().client.call('POST', events, { body: event });
      expect(again.status).toBe(409);
      expect(again.body).toEqual(
        failure({
          code: 409,
          reason: 'AlreadyExists',
          message: `events "${name}" already exists`,
          details: { name, kind: 'events' },
        }),
      );
    });

    it('an Event must be in the namespace of its object, or in `default` for an object without one', async () => {
      const event = (involvedObject: object) => ({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: uniqueName('event') },
        involvedObject,
        reason: 'R',
        message: 'M',
        type: 'Normal',
      });
      const elsewhere = await server().client.call('POST', events, {
        body: event({ kind: 'Pod', namespace: 'other', name: 'x' }),
      });
      const rule = event({ kind: 'DeviceTaintRule', name: 'r', apiVersion: 'resource.k8s.io/v1' });
      const wrongPlace = await server().client.call('POST', events, { body: rule });
      const rightPlace = await server().client.call('POST', '/api/v1/namespaces/default/events', { body: rule });
      expect([elsewhere.status, wrongPlace.status, rightPlace.status]).toEqual([422, 422, 201]);
      expect(elsewhere.body).toMatchObject({
        reason: 'Invalid',
        details: {
          causes: [
            { field: 'involvedObject.namespace', message: 'Invalid value: "other": does not match event.namespace' },
          ],
        },
      });
    });
  });
}
