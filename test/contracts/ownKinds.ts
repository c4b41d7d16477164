// Contract: what an API server refuses of Sluice's own kinds, in which words, and which fields it drops.
import { describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { at, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { applyYaml, created, failure, merge, uniqueName } from './apiServerUnderTest.ts';

const apiVersion = 'sluice.dev/v1alpha1';
const policies = `/apis/${apiVersion}/evictionpolicies`;
const notChecked =
  'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
const unchecked = { field: '<nil>', reason: 'FieldValueInvalid', message: notChecked };

const wrongType = (field: string, type: string, found: string) => ({
  field,
  reason: 'FieldValueTypeInvalid',
  message: `Invalid value: "${found}": ${field} in body must be of type ${type}: "${found}"`,
});
const invalid = (field: string, message: string) => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${message}`,
});

const specs: readonly (readonly [string, unknown, readonly JsonMap[]])[] = [
  ['a text for a bool', { paused: 'yes' }, [wrongType('spec.paused', 'boolean', 'string'), unchecked]],
  [
    'a fraction for an integer',
    { burst: 1.5 },
    [
      wrongType('spec.burst', 'integer', 'number'),
      invalid('<nil>', '"": Checked value must be of type integer (default format) in spec.burst'),
      unchecked,
    ],
  ],
  [
    'a bool for a number or percentage',
    { limits: { maxPerNode: true } },
    [
      wrongType('spec.limits.maxPerNode', 'integer,string', 'boolean'),
      invalid('<nil>', '"": "spec.limits.maxPerNode" must validate at least one schema (anyOf)'),
      wrongType('spec.limits.maxPerNode', 'integer', 'boolean'),
      unchecked,
    ],
  ],
  [
    'the same key twice',
    { taints: { keys: ['a', 'a', 'b'] } },
    [{ field: 'spec.taints.keys[1]', reason: 'FieldValueDuplicate', message: 'Duplicate value: "a"' }],
  ],
  ['a text for the spec', 'text', [wrongType('spec', 'object', 'string'), unchecked]],
  ['no spec', undefined, [{ field: 'spec', reason: 'FieldValueRequired', message: 'Required value' }, unchecked]],
  ['a text for an item', { windows: ['x'] }, [wrongType('spec.windows[0]', 'object', 'string'), unchecked]],
  ['an object for a list', { windows: {} }, [wrongType('spec.windows', 'array', 'object'), unchecked]],
  [
    'a rule that it breaks',
    { evictionsPerSecond: 5, maxEvictionsPerSecond: 2 },
    [
      invalid(
        'spec',
        'evictionsPerSecond is above maxEvictionsPerSecond, which caps it: lower the one or raise the other',
      ),
    ],
  ],
];

const policy = (name: string, spec: unknown): JsonMap => ({
  apiVersion,
  kind: 'EvictionPolicy',
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
});

export function ownKindsContract(client: () => ApiClient): void {
  describe("Sluice's own kinds", () => {
    it.each(specs)('a policy with %s is refused with 422 and the causes', async (_, spec, causes) => {
      const name = uniqueName('policy');
      const answer = await client().call('POST', policies, { body: policy(name, spec) });
      const texts = causes.map(({ field, message }) => `${field}: ${message}`);
      expect(answer).toMatchObject({ status: 422 });
      expect(answer.body).toEqual(
        failure({
          code: 422,
          reason: 'Invalid',
          message: `EvictionPolicy.sluice.dev "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
          details: { name, group: 'sluice.dev', kind: 'EvictionPolicy', causes },
        }),
      );
    });

    it('fields without a schema are dropped, and so is a null', async () => {
      const spec = { speed: 1, burst: 2, limits: { x: 1, maxPods: 1 }, loopWindow: null };
      const made = await created(client(), policies, policy(uniqueName('policy'), spec));
      expect(made.spec).toEqual({ burst: 2, limits: { maxPods: 1 } });
    });

    it('where fields are validated strictly, fields without a schema are refused with 400', async () => {
      const windows = [{ schedule: '* * * * *', duration: '1h', y: 2 }];
      const body = policy(uniqueName('policy'), { speed: 1, limits: { x: 1, maxPods: 1 }, windows });
      const answer = await client().call('POST', `${policies}?fieldValidation=Strict`, { body });
      const fields = ['spec.limits.x', 'spec.speed', 'spec.windows[0].y'].map((field) => `unknown field "${field}"`);
      const message = `EvictionPolicy in version "v1alpha1" cannot be handled as a EvictionPolicy: strict decoding error: ${fields.join(', ')}`;
      expect(answer.body).toEqual(failure({ code: 400, reason: 'BadRequest', message }));
    });

    it('a patch and an apply of a wrong value are refused with 422, and of a field without a schema where it counts', async () => {
      const name = uniqueName('policy');
      await created(client(), policies, policy(name, { burst: 1 }));
      const patch = (contentType: string, query: string, spec: JsonMap) =>
        client().call('PATCH', `${policies}/${name}?${query}`, { contentType, body: policy(name, spec) });
      const wrong = invalid('spec.burst', '0: spec.burst in body should be greater than or equal to 1');
      for (const answer of [
        await patch(merge, '', { burst: 0 }),
        await patch(applyYaml, 'fieldManager=m&force=true', { burst: 0 }),
      ])
        expect([answer.status, at(answer.body, 'details', 'causes')]).toEqual([422, [wrong]]);
      expect((await patch(merge, '', { speed: 1 })).body.spec).toEqual({ burst: 1 });
      const strict = await patch(merge, 'fieldValidation=Strict', { speed: 1 });
      expect([strict.status, textAt(listAt(strict.body, 'details', 'causes')[0], 'field')]).toEqual([422, 'patch']);
      expect(strict.body.message).toMatch(/: strict decoding error: unknown field "spec\.speed"$/);
      const applied = await patch(applyYaml, 'fieldManager=m&force=true', { speed: 1 });
      const typed = `/${name}; ${apiVersion}, Kind=EvictionPolicy`;
      expect([applied.status, applied.body.message]).toEqual([
        500,
        `failed to create typed patch object (${typed}): .spec.speed: field not declared in schema`,
      ]);
    });

    it('a wrong status is refused, named without its first part', async () => {
      const name = uniqueName('policy');
      await created(client(), policies, policy(name, {}));
      const status = { conditions: [{ type: 'A', status: 'True', reason: 'R', message: '', lastTransitionTime: 'x' }] };
      const answer = await client().call('PATCH', `${policies}/${name}/status`, {
        contentType: merge,
        body: { status },
      });
      const field = 'status.conditions[0].lastTransitionTime';
      const message = 'Invalid value: "x": conditions[0].lastTransitionTime in body must be of type date-time: "x"';
      expect([answer.status, at(answer.body, 'details', 'causes')]).toEqual([
        422,
        [{ field, reason: 'FieldValueTypeInvalid', message }, unchecked],
      ]);
    });

    it('a kind without rules says nothing of rules', async () => {
      const body = { apiVersion, kind: 'EvictionStop', metadata: { name: uniqueName('stop') }, spec: { reason: 5 } };
      const answer = await client().call('POST', `/apis/${apiVersion}/evictionstops`, { body });
      expect(at(answer.body, 'details', 'causes')).toEqual([wrongType('spec.reason', 'string', 'integer')]);
    });
  });
}
