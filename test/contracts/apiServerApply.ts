// Contract: server-side apply of conditions, as rule status is written.
import { describe, expect, it } from 'vitest';
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import type { ApiAnswer } from '../../lib/local/cluster/client.ts';
import { isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import {
  applyYaml,
  type CurrentServer,
  created,
  done,
  failure,
  foreignUid,
  nameOf,
  rules,
  uidOf,
  uniqueName,
  versionOf,
} from './apiServerUnderTest.ts';

const taint = { key: 'example.com/unhealthy', effect: 'NoExecute' };
const condition = {
  type: 'EvictionInProgress',
  status: 'True',
  reason: 'PodsPendingEviction',
  message: '3 pods need to be evicted in 1 namespace.',
  observedGeneration: 1,
  lastTransitionTime: '2020-01-01T00:00:00Z',
};

interface Applying {
  readonly conditions: readonly JsonMap[];
  readonly manager?: string;
  readonly force?: boolean;
  readonly uid?: string;
}

export function applyContract(server: CurrentServer): void {
  const newRule = () => created(server().client, rules, deviceTaintRule({ name: uniqueName('rule'), taint }));
  const apply = (name: string, { conditions, manager = 'sluice', force = true, uid }: Applying): Promise<ApiAnswer> => {
    const body = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceTaintRule',
      metadata: { name, ...(uid !== undefined && { uid }) },
      status: { conditions },
    };
    const path = `${rules}/${name}/status?fieldManager=${manager}${force ? '&force=true' : ''}`;
    return server().client.call('PATCH', path, { body, contentType: applyYaml });
  };
  const managed = (rule: JsonMap, manager: string) =>
    listAt(rule, 'metadata', 'managedFields').find((each) => isMap(each) && each.manager === manager);

  describe('server-side apply of a rule status', () => {
    it('server-side apply stores the condition as sent, lastTransitionTime included, under the name of its manager', async () => {
      const rule = await newRule();
      const next = done(await apply(nameOf(rule), { conditions: [condition], uid: uidOf(rule) }));
      expect(next.status).toEqual({ conditions: [condition] });
      expect(next).toMatchObject({ spec: rule.spec, metadata: { generation: 1 } });
      expect(managed(next, 'sluice')).toMatchObject({
        operation: 'Apply',
        apiVersion: 'resource.k8s.io/v1',
        fieldsType: 'FieldsV1',
        subresource: 'status',
        fieldsV1: {
          'f:status': {
            'f:conditions': {
              'k:{"type":"EvictionInProgress"}': {
                '.': {},
                'f:lastTransitionTime': {},
                'f:message': {},
                'f:observedGeneration': {},
                'f:reason': {},
                'f:status': {},
                'f:type': {},
              },
            },
          },
        },
      });
    });

    it('applying the same condition a second time changes nothing', async () => {
      const rule = await newRule();
      const first = done(await apply(nameOf(rule), { conditions: [condition] }));
      const second = done(await apply(nameOf(rule), { conditions: [condition] }));
      expect(versionOf(first)).not.toBe(versionOf(rule));
      expect(versionOf(second)).toBe(versionOf(first));
    });

    it('server-side apply keeps the conditions of other managers', async () => {
      const rule = await newRule();
      done(await apply(nameOf(rule), { conditions: [{ ...condition, type: 'Other' }], manager: 'another-manager' }));
      const next = done(await apply(nameOf(rule), { conditions: [condition] }));
      const types = listAt(next, 'status', 'conditions').map((each) => textAt(each, 'type'));
      expect(types.toSorted()).toEqual(['EvictionInProgress', 'Other']);
      expect(managed(next, 'another-manager')).toMatchObject({ operation: 'Apply', subresource: 'status' });
    });

    it('server-side apply refuses to overwrite what another manager owns, unless forced', async () => {
      const rule = await newRule();
      done(await apply(nameOf(rule), { conditions: [condition] }));
      const changed = [{ ...condition, status: 'False' }];
      const refused = await apply(nameOf(rule), { conditions: changed, manager: 'another-manager', force: false });
      const field = '.status.conditions[type="EvictionInProgress"].status';
      const message = 'conflict with "sluice" with subresource "status"';
      expect(refused.body).toEqual(
        failure({
          code: 409,
          reason: 'Conflict',
          message: `Apply failed with 1 conflict: ${message}: ${field}`,
          details: { causes: [{ reason: 'FieldManagerConflict', message, field }] },
        }),
      );
      const forced = done(await apply(nameOf(rule), { conditions: changed, manager: 'another-manager' }));
      expect(forced.status).toEqual({ conditions: changed });
    });

    it('server-side apply removes the condition that its manager no longer declares', async () => {
      const rule = await newRule();
      done(await apply(nameOf(rule), { conditions: [{ ...condition, type: 'Other' }], manager: 'another-manager' }));
      done(await apply(nameOf(rule), { conditions: [condition] }));
      const next = done(await apply(nameOf(rule), { conditions: [] }));
      expect(listAt(next, 'status', 'conditions').map((each) => textAt(each, 'type'))).toEqual(['Other']);
    });

    it('an apply with the UID of another object is refused as a change of an immutable field', async () => {
      const rule = await newRule();
      const answer = await apply(nameOf(rule), { conditions: [condition], uid: foreignUid });
      const message = `Invalid value: "${foreignUid}": field is immutable`;
      expect(answer.body).toEqual(
        failure({
          code: 422,
          reason: 'Invalid',
          message: `DeviceTaintRule.resource.k8s.io "${nameOf(rule)}" is invalid: metadata.uid: ${message}`,
          details: {
            name: nameOf(rule),
            group: 'resource.k8s.io',
            kind: 'DeviceTaintRule',
            causes: [{ reason: 'FieldValueInvalid', message, field: 'metadata.uid' }],
          },
        }),
      );
    });

    it('an apply to a rule that does not exist is 404', async () => {
      const answer = await apply('no-such-rule', { conditions: [condition], uid: foreignUid });
      expect(answer).toMatchObject({ status: 404, body: { reason: 'NotFound', details: { name: 'no-such-rule' } } });
    });

    it('an apply without a field manager is refused', async () => {
      const rule = await newRule();
      const answer = await apply(nameOf(rule), { conditions: [condition], manager: '' });
      const message = 'Required value: is required for apply patch';
      expect(answer.body).toEqual(
        failure({
          code: 422,
          reason: 'Invalid',
          message: `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`,
          details: {
            group: 'meta.k8s.io',
            kind: 'PatchOptions',
            causes: [{ reason: 'FieldValueRequired', message, field: 'fieldManager' }],
          },
        }),
      );
    });

    it.each([
      { what: 'an unknown status', wrong: { status: 'Maybe' }, field: 'status', reason: 'FieldValueNotSupported' },
      { what: 'a reason with a blank', wrong: { reason: 'a b' }, field: 'reason', reason: 'FieldValueInvalid' },
      { what: 'no reason', wrong: { reason: '' }, field: 'reason', reason: 'FieldValueRequired' },
    ])('server-side apply refuses a condition with $what', async ({ wrong, field, reason }) => {
      const rule = await newRule();
      const answer = await apply(nameOf(rule), { conditions: [{ ...condition, ...wrong }] });
      expect(answer.status).toBe(422);
      expect(listAt(answer.body, 'details', 'causes')).toEqual([
        expect.objectContaining({ field: `status.conditions[0].${field}`, reason }),
      ]);
    });

    it('server-side apply refuses a condition without lastTransitionTime', async () => {
      const rule = await newRule();
      const { lastTransitionTime, ...rest } = condition;
      const answer = await apply(nameOf(rule), { conditions: [rest] });
      expect(listAt(answer.body, 'details', 'causes')).toEqual([
        { field: 'status.conditions[0].lastTransitionTime', reason: 'FieldValueRequired', message: 'Required value' },
      ]);
    });

    it('server-side apply takes a body in YAML', async () => {
      const rule = await newRule();
      const body = [
        'apiVersion: resource.k8s.io/v1',
        'kind: DeviceTaintRule',
        `metadata: {name: ${nameOf(rule)}}`,
        'status:',
        '  conditions:',
        '  - {type: T, status: "True", reason: R, message: m, lastTransitionTime: "2020-01-01T00:00:00Z"}',
      ].join('\n');
      const path = `${rules}/${nameOf(rule)}/status?fieldManager=sluice`;
      const next = done(await server().client.call('PATCH', path, { body, contentType: applyYaml }));
      expect(listAt(next, 'status', 'conditions')).toEqual([expect.objectContaining({ type: 'T', reason: 'R' })]);
    });
  });
}
