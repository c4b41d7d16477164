// Projections keep what decisions read, in every served version; an object that cannot be read is named and can evict no pod.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { project } from '../../../lib/adapters/kubernetes/project.ts';
import { conditionsOf } from '../../../lib/adapters/kubernetes/projectRule.ts';
import type { ObjectKind, ObjectProjection } from '../../../lib/model/projection.ts';

const metadata = { namespace: 'ml', name: 'a', uid: 'uid-a', resourceVersion: '12' };
const id = { namespace: 'ml', name: 'a', uid: 'uid-a', resourceVersion: '12' };
const clusterMeta = { name: 'a', uid: 'uid-a', resourceVersion: '12' };

function projected(kind: ObjectKind, object: unknown): ObjectProjection {
  const result = project(kind, object);
  if (result.kind === 'Unreadable') throw new Error(result.why);
  return result.object;
}

describe('the author of a rule or slice', () => {
  const rule = (managedFields: unknown) => ({
    metadata: { name: 'a', uid: 'uid-a', resourceVersion: '12', generation: 1, managedFields },
    spec: { taint: { key: 'k', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' } },
  });
  const paced = (managedFields: unknown) => ({ ...rule(managedFields), spec: { taints: [] } });
  const slice = (managedFields: unknown) => ({
    ...rule(managedFields),
    spec: { driver: 'gpu.example.com', pool: { name: 'p', generation: 1 }, devices: [] },
  });
  const agents = (managedFields: unknown) => ({
    ...rule(managedFields),
    spec: { driver: 'gpu.example.com', pool: 'p', taints: [] },
  });
  const spec = { 'f:spec': { 'f:taint': {} } };
  const first = { manager: 'kubectl', operation: 'Update', time: '2026-01-01T00:00:00Z', fieldsV1: spec };
  const last = { manager: 'argocd', operation: 'Apply', time: '2026-01-02T00:00:00Z', fieldsV1: spec };
  const status = { ...last, manager: 'sluice', time: '2026-01-03T00:00:00Z', subresource: 'status' };
  const labels = { ...last, manager: 'labeller', time: '2026-01-03T00:00:00Z', fieldsV1: { 'f:metadata': {} } };
  const argocd = { manager: 'argocd', operation: 'Apply', at: Date.UTC(2026, 0, 2) };

  it.each([
    ['two writers', [first, last], argocd],
    ['two writers in the other order', [last, first], argocd],
    ['later writers of status and metadata', [last, status, labels], argocd],
    ['a writer without a time', [{ manager: 'old', fieldsV1: spec }], { manager: 'old', operation: '' }],
    ['an entry without a manager', [{ ...last, manager: 7 }], undefined],
    ['no managedFields', undefined, undefined],
  ])('the author of a rule or slice is the last writer of its spec: %s', (_, managedFields, author) => {
    for (const [kind, object] of [
      ['DeviceTaintRule', rule(managedFields)],
      ['PacedTaintRule', paced(managedFields)],
      ['ResourceSlice', slice(managedFields)],
      ['DeviceTaintSlice', agents(managedFields)],
    ] as const)
      expect({ author: undefined, ...projected(kind, object) }).toMatchObject({ kind, author });
  });
});

describe('Pod', () => {
  it('the projection of a Pod keeps claims, node, owner, times, labels and nothing else', () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        labels: { app: 'x' },
        managedFields: [{ manager: 'kubelet' }],
        creationTimestamp: '2026-01-01T00:00:00Z',
        deletionTimestamp: '2026-01-01T00:01:00Z',
        ownerReferences: [
          { apiVersion: 'v1', kind: 'ConfigMap', name: 'no', uid: 'u0' },
          { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u1', controller: true },
        ],
      },
      spec: {
        nodeName: 'node-1',
        priority: 7,
        terminationGracePeriodSeconds: 45,
        schedulingGroup: { podGroupName: 'group' },
        workloadRef: { name: 'w', podGroup: 'workers', podGroupReplicaKey: '1' },
        resourceClaims: [
          { name: 'own', resourceClaimTemplateName: 't' },
          { name: 'shared', resourceClaimName: 'c' },
        ],
        containers: [{ name: 'main', image: 'x' }],
      },
      status: {
        phase: 'Running',
        resourceClaimStatuses: [{ name: 'own', resourceClaimName: 'a-own-x' }, { name: 'none' }],
        extendedResourceClaimStatus: { resourceClaimName: 'a-extended', requestMappings: [] },
      },
    };
    expect(projected('Pod', object)).toEqual({
      kind: 'Pod',
      ...id,
      creationTimestamp: Date.UTC(2026, 0, 1),
      deletionTimestamp: Date.UTC(2026, 0, 1, 0, 1),
      nodeName: 'node-1',
      priority: 7,
      terminationGracePeriodSeconds: 45,
      controller: { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u1' },
      podGroupName: 'group',
      workloadRef: { name: 'w', podGroup: 'workers', podGroupReplicaKey: '1' },
      labels: { app: 'x' },
      resourceClaims: [
        { name: 'own', resourceClaimTemplateName: 't' },
        { name: 'shared', resourceClaimName: 'c' },
      ],
      resourceClaimStatuses: [{ name: 'own', resourceClaimName: 'a-own-x' }, { name: 'none' }],
      extendedResourceClaimName: 'a-extended',
    });
  });

  const target = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByDeviceTaintManager' };
  it.each([
    ['set by the in-tree controller', [target], 'InTree'],
    ['set by Sluice', [target, { type: 'sluice.dev/EvictionDue', status: 'True' }], undefined],
    ['set by a drain', [{ ...target, reason: 'EvictionByEvictionAPI' }], undefined],
    ['with status False', [{ ...target, status: 'False' }], undefined],
    ['another condition', [{ ...target, type: 'Ready' }], undefined],
  ])('only a DisruptionTarget condition of the in-tree controller marks a Pod: %s', (_, conditions, markedBy) => {
    expect(projected('Pod', { metadata, status: { conditions } })).toEqual({
      kind: 'Pod',
      ...id,
      resourceClaims: [],
      resourceClaimStatuses: [],
      ...(markedBy ? { markedBy } : {}),
    });
  });

  it('a Pod without spec and status uses no device', () => {
    const bare = { kind: 'Pod', ...id, resourceClaims: [], resourceClaimStatuses: [] };
    expect(projected('Pod', { metadata })).toEqual(bare);
    expect(projected('Pod', { metadata, spec: null, status: null })).toEqual(bare);
  });
});

describe('ResourceClaim', () => {
  const result = { request: 'r', driver: 'd', pool: 'p', device: 'g' };
  const claim = (allocated: object) => ({ metadata, status: { allocation: { devices: { results: [allocated] } } } });

  it('the projection of a ResourceClaim keeps allocation, tolerations, consumers and annotations under sluice.dev', () => {
    const toleration = { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 30 };
    const object = {
      metadata: {
        ...metadata,
        annotations: {
          'sluice.dev/hold': 'yes',
          'pause.sluice.dev/a': '',
          'example.com/other': 'no',
          'notsluice.dev/x': 'no',
          'sluice.dev/bad': 5,
        },
      },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu' } }] } },
      status: {
        allocation: {
          allocationTimestamp: '2026-01-01T00:00:00Z',
          devices: {
            results: [{ ...result, adminAccess: true, shareID: 's', tolerations: [toleration], consumedCapacity: {} }],
            config: [],
          },
        },
        reservedFor: [
          { resource: 'pods', name: 'a', uid: 'uid-pod' },
          { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'g', uid: 'uid-g' },
        ],
      },
    };
    expect(projected('ResourceClaim', object)).toEqual({
      kind: 'ResourceClaim',
      ...id,
      annotations: { 'sluice.dev/hold': 'yes', 'pause.sluice.dev/a': '' },
      allocation: {
        devices: [{ ...result, deviceClassName: 'gpu', adminAccess: true, shareID: 's', tolerations: [toleration] }],
      },
      reservedFor: [
        { resource: 'pods', name: 'a', uid: 'uid-pod' },
        { apiGroup: 'scheduling.k8s.io', resource: 'podgroups', name: 'g', uid: 'uid-g' },
      ],
    });
  });

  it.each<[string, unknown, string | undefined]>([
    ['a request', [{ name: 'r', exactly: { deviceClassName: 'gpu' } }], 'gpu'],
    ['a request of v1beta1', [{ name: 'r', deviceClassName: 'gpu' }], 'gpu'],
    ['another request', [{ name: 'other', exactly: { deviceClassName: 'gpu' } }], undefined],
    [
      'an alternative of another request',
      [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'gpu' }] }],
      undefined,
    ],
    ['a class that is no text', [{ name: 'r', exactly: { deviceClassName: 5 } }], undefined],
    ['requests that are no list', { name: 'r' }, undefined],
    ['no requests', undefined, undefined],
  ])('the class of an allocated device is that of its request: %s: %j', (_, requests, deviceClassName) => {
    const object = { ...claim(result), spec: { devices: { requests } } };
    const device = deviceClassName === undefined ? result : { ...result, deviceClassName };
    expect(projected('ResourceClaim', object)).toHaveProperty('allocation', { devices: [device] });
  });

  it('the class of an allocated device is that of the alternative that was allocated', () => {
    const requests = [
      {
        name: 'r',
        firstAvailable: [
          { name: 'a', deviceClassName: 'large' },
          { name: 'b', deviceClassName: 'small' },
        ],
      },
    ];
    const object = { ...claim({ ...result, request: 'r/b' }), spec: { devices: { requests } } };
    expect(projected('ResourceClaim', object)).toHaveProperty('allocation.devices[0].deviceClassName', 'small');
  });

  it('a ResourceClaim that is not allocated has no allocation', () => {
    expect(projected('ResourceClaim', { metadata, status: {} })).toEqual({
      kind: 'ResourceClaim',
      ...id,
      reservedFor: [],
    });
  });

  it('the projection of a ResourceClaim keeps the fields that KEP-5194 would add', () => {
    const spec = { reservedFor: { apiGroup: 'batch', resource: 'jobs', name: 'j', uid: 'u' } };
    const object = { metadata, spec, status: { allocation: { reservedForAnyPod: true } } };
    expect(projected('ResourceClaim', object)).toMatchObject({
      specReservedFor: spec.reservedFor,
      allocation: { devices: [], reservedForAnyPod: true },
    });
  });

  it.each([
    ['the largest int64', '9223372036854775807', Number.MAX_SAFE_INTEGER],
    ['the smallest int64', '-9223372036854775808', Number.MIN_SAFE_INTEGER],
    ['zero', '0', 0],
  ])('tolerationSeconds of a ResourceClaim are clamped to safe integers: %s', (_, json, seconds) => {
    const object = JSON.parse(
      JSON.stringify(claim({ ...result, tolerations: [{ tolerationSeconds: 1 }] })).replace('1}', `${json}}`),
    );
    expect(projected('ResourceClaim', object)).toMatchObject({
      allocation: { devices: [{ tolerations: [{ tolerationSeconds: seconds }] }] },
    });
  });
});

describe('ResourceSlice', () => {
  const taint = { key: 'example.com/bad', value: 'yes', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' };
  const read = { key: 'example.com/bad', value: 'yes', effect: 'NoExecute', timeAdded: Date.UTC(2026, 0, 1) };
  const spec = { driver: 'gpu.example.com', nodeName: 'n', pool: { name: 'n', generation: 3, resourceSliceCount: 1 } };
  const slice = {
    kind: 'ResourceSlice',
    ...clusterMeta,
    driver: 'gpu.example.com',
    pool: { name: 'n', generation: 3 },
  };

  it.each([
    ['v1 and v1beta2', { name: 'g0', taints: [taint], attributes: {} }],
    ['v1beta1', { name: 'g0', basic: { taints: [taint], capacity: {} } }],
  ])('the projection of a ResourceSlice keeps the taints of %s', (_, device) => {
    const object = { metadata: clusterMeta, spec: { ...spec, devices: [device, { name: 'g1' }] } };
    expect(projected('ResourceSlice', object)).toEqual({
      ...slice,
      devices: [{ name: 'g0', taints: [read] }, { name: 'g1' }],
    });
  });

  it('an unknown effect of a taint is kept', () => {
    const object = {
      metadata: clusterMeta,
      spec: { ...spec, devices: [{ name: 'g0', taints: [{ key: 'k', effect: 'Explode' }] }] },
    };
    expect(projected('ResourceSlice', object)).toMatchObject({
      devices: [{ taints: [{ key: 'k', effect: 'Explode' }] }],
    });
  });

  it.each(['yesterday', '', 5, null])('a timeAdded that is no time is dropped: %j', (timeAdded) => {
    const device = { name: 'g0', taints: [{ key: 'k', effect: 'NoExecute', timeAdded }] };
    const object = { metadata: clusterMeta, spec: { ...spec, devices: [device] } };
    expect(projected('ResourceSlice', object)).toMatchObject({
      devices: [{ taints: [{ key: 'k', effect: 'NoExecute' }] }],
    });
    expect(JSON.stringify(projected('ResourceSlice', object))).not.toContain('timeAdded');
  });
});

describe('DeviceTaintRule', () => {
  const taint = { key: 'k', effect: 'NoExecute' };
  const rule = (spec: object) => ({ metadata: { ...clusterMeta, generation: 4 }, spec });

  it.each([
    ['no selector', {}, undefined],
    ['a selector that is null', { deviceSelector: null }, undefined],
    ['an empty selector', { deviceSelector: {} }, {}],
    [
      'a selector',
      { deviceSelector: { driver: 'd', pool: 'p/q', device: 'g' } },
      { driver: 'd', pool: 'p/q', device: 'g' },
    ],
    ['a criterion that is null', { deviceSelector: { driver: 'd', pool: null } }, { driver: 'd' }],
  ])('the projection of a DeviceTaintRule distinguishes %s', (_, spec, deviceSelector) => {
    const expected = {
      kind: 'DeviceTaintRule',
      ...clusterMeta,
      generation: 4,
      taint,
      ...(deviceSelector ? { deviceSelector } : {}),
    };
    expect(projected('DeviceTaintRule', rule({ ...spec, taint }))).toEqual(expected);
  });

  it('conditions of a rule are read as they were written, in whole seconds', () => {
    const condition = {
      type: 'EvictionInProgress',
      status: 'False',
      reason: 'Completed',
      message: 'm',
      observedGeneration: 4,
    };
    const status = { conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }, { type: 'Other' }] };
    expect(conditionsOf({ status })).toEqual([
      { ...condition, lastTransitionTime: Date.UTC(2026, 0, 1) },
      { type: 'Other', status: 'Unknown', reason: '', message: '', observedGeneration: 0, lastTransitionTime: 0 },
    ]);
  });
});

describe('an object that cannot be read', () => {
  const result = { request: 'r', driver: 'd', pool: 'p', device: 'g' };
  const claimWith = (over: object) => ({
    metadata,
    status: { allocation: { devices: { results: [{ ...result, ...over }] } } },
  });
  const pool = { name: 'p', generation: 1 };
  const sliceWith = (taint: object) => ({
    metadata: clusterMeta,
    spec: { driver: 'd', pool, devices: [{ name: 'g', taints: [taint] }] },
  });
  const ruleWith = (spec: object) => ({
    metadata: clusterMeta,
    spec: { taint: { key: 'k', effect: 'NoExecute' }, ...spec },
  });

  it.each<[string, ObjectKind, unknown, RegExp]>([
    [
      'tolerationSeconds that are no number, which would mean "at once" or "forever"',
      'ResourceClaim',
      claimWith({ tolerations: [{ tolerationSeconds: 'soon' }] }),
      /tolerations\[0\].tolerationSeconds is not a number/,
    ],
    [
      'a toleration that is no object',
      'ResourceClaim',
      claimWith({ tolerations: ['all'] }),
      /tolerations\[0\] is not an object/,
    ],
    ['tolerations that are no list', 'ResourceClaim', claimWith({ tolerations: {} }), /tolerations is not a list/],
    [
      'a device without driver, which an empty selector would match',
      'ResourceClaim',
      claimWith({ driver: undefined }),
      /driver is missing/,
    ],
    [
      'an allocation that is a text',
      'ResourceClaim',
      { metadata, status: { allocation: 'yes' } },
      /status.allocation is not an object/,
    ],
    [
      'a taint without key, which cannot be tolerated',
      'ResourceSlice',
      sliceWith({ effect: 'NoExecute' }),
      /taints\[0\].key is missing/,
    ],
    [
      'a taint value that is a number',
      'ResourceSlice',
      sliceWith({ key: 'k', value: 5, effect: 'NoExecute' }),
      /taints\[0\].value is not a text/,
    ],
    [
      'a generation that is a text',
      'ResourceSlice',
      { metadata: clusterMeta, spec: { driver: 'd', pool: { name: 'p', generation: '9' } } },
      /generation is not a number/,
    ],
    ['a rule without taint', 'DeviceTaintRule', { metadata: clusterMeta, spec: {} }, /spec.taint.key is missing/],
    [
      'a device class, which would narrow the selection',
      'DeviceTaintRule',
      ruleWith({ deviceSelector: { deviceClassName: 'gpu' } }),
      /criterion deviceClassName is not known/,
    ],
    [
      'CEL selectors',
      'DeviceTaintRule',
      ruleWith({ deviceSelector: { driver: 'd', selectors: [{ cel: { expression: 'true' } }] } }),
      /criterion selectors/,
    ],
    [
      'a selector that is a list',
      'DeviceTaintRule',
      ruleWith({ deviceSelector: [] }),
      /deviceSelector is not an object/,
    ],
    [
      'a criterion that is a number',
      'DeviceTaintRule',
      ruleWith({ deviceSelector: { pool: 5 } }),
      /deviceSelector.pool is not a text/,
    ],
    [
      'claims that are no list',
      'Pod',
      { metadata, spec: { resourceClaims: 'gpu' } },
      /spec.resourceClaims is not a list/,
    ],
    ['no UID', 'Pod', { metadata: { ...metadata, uid: '' } }, /metadata.uid/],
    [
      'a resourceVersion that is not a number',
      'Pod',
      { metadata: { ...metadata, resourceVersion: 'v1' } },
      /resourceVersion/,
    ],
    ['a namespaced object without namespace', 'Pod', { metadata: clusterMeta }, /missing/],
  ])('an object that cannot be read is named with the reason: %s', (_, kind, object, why) => {
    const result = project(kind, object);
    expect(result).toMatchObject({ kind: 'Unreadable', why: expect.stringMatching(why) });
    expect(result.kind === 'Unreadable' && result.why).toMatch(
      /^(Pod|ResourceClaim|ResourceSlice|DeviceTaintRule) (ml\/)?a cannot be read/,
    );
  });

  it('an object that cannot be read is reduced to what can evict no pod', () => {
    const harmless = (kind: ObjectKind, object: unknown) => {
      const result = project(kind, object);
      return result.kind === 'Unreadable' ? result.harmless : 'readable';
    };
    expect(harmless('ResourceClaim', claimWith({ driver: 5 }))).toEqual({
      kind: 'ResourceClaim',
      ...id,
      reservedFor: [],
    });
    expect(harmless('ResourceSlice', sliceWith({ effect: 'NoExecute' }))).toMatchObject({
      driver: 'd',
      pool,
      devices: [],
    });
    expect(harmless('ResourceSlice', { metadata: clusterMeta, spec: { pool } })).toBeUndefined();
    expect(harmless('DeviceTaintRule', ruleWith({ deviceSelector: 5 }))).toMatchObject({ taint: { effect: 'None' } });
    expect(harmless('Pod', { metadata, spec: { nodeName: 'n', resourceClaims: 5 } })).toMatchObject({
      resourceClaims: [],
    });
  });

  it('a projection never throws and never lacks an identity, whatever its input', () => {
    const kinds = ['Pod', 'ResourceClaim', 'ResourceSlice', 'DeviceTaintRule'] as const;
    const part = fc.jsonValue({ maxDepth: 4 });
    const object = fc.oneof(
      part,
      fc.record({ metadata: fc.oneof(part, fc.constant(metadata)), spec: part, status: part }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...kinds), object, (kind, value) => {
        const result = project(kind, value);
        const kept = result.kind === 'Projected' ? result.object : result.harmless;
        return kept === undefined || (kept.uid !== '' && kept.name !== '' && /^\d+$/.test(kept.resourceVersion));
      }),
    );
  });
});
