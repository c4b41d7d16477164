// Which claims a pod refers to, owns and is a consumer of.
import { describe, expect, it } from 'vitest';
import { claimNamesOf, consumedClaims, reservedPods } from '../../lib/decide/consume.ts';
import { claimProblems, isPod, parseReservedFor, reservedForAnnotation } from '../../lib/decide/reservedFor.ts';
import { nameKey } from '../../lib/model/identity.ts';
import type { Pod, ResourceClaim } from '../../lib/model/objects.ts';
import { type Settings, upstreamSettings } from '../../lib/model/snapshot.ts';
import { claim, ownedBy, pod, reservedFor, reservedForGroup, templatePod, unallocated } from '../support/builders.ts';

function consumed(of: Pod, claims: readonly ResourceClaim[], settings: Partial<Settings> = {}): readonly string[] {
  const known = new Map(claims.map((one) => [nameKey(one), one]));
  return consumedClaims(of, { claims: known, settings: { ...upstreamSettings, ...settings } }).map((one) => one.name);
}

const groupPod = templatePod({ podGroupName: 'group' });
const group = { apiVersion: 'scheduling.k8s.io/v1alpha2', kind: 'PodGroup', name: 'group', uid: 'group-uid' };
const groupClaim = claim({ ...reservedForGroup('group'), controller: group });

describe('a pod is a consumer of a claim', () => {
  const cases: readonly [string, Pod, ResourceClaim, Partial<Settings>, boolean][] = [
    ['by name, reserved for its UID', pod(), claim(), {}, true],
    ['by name, whatever owns the claim', pod(), claim(ownedBy(pod({ uid: 'x' }))), {}, true],
    ['not of a claim in another namespace', pod(), claim({ namespace: 'other' }), {}, false],
    ['not of a claim without allocation', pod(), { ...unallocated(claim()), ...reservedFor(pod()) }, {}, false],
    ['not by its name alone', pod(), claim(reservedFor(pod({ uid: 'x' }))), {}, false],
    ['by UID alone, whatever name stands there', pod(), claim(reservedFor(pod({ name: 'x', uid: '1234' }))), {}, true],
    ['from a template, as controller of the claim', templatePod(), claim(ownedBy(pod())), {}, true],
    ['not from a template, without a controller', templatePod(), claim(), {}, false],
    ['not by a reference of a kind unknown', pod({ resourceClaims: [{ name: 'device' }] }), claim(), {}, false],
    [
      'not by a template whose status is of another entry',
      templatePod({ resourceClaimStatuses: [{ name: 'x', resourceClaimName: 'claim' }] }),
      claim(ownedBy(pod())),
      {},
      false,
    ],
    [
      'not by a reference of a kind unknown, though its status names a claim',
      templatePod({ resourceClaims: [{ name: 'device' }] }),
      claim(ownedBy(pod())),
      {},
      false,
    ],
    ['through its group, with workload claims', groupPod, groupClaim, { workloadClaims: true }, true],
    ['not through its group, without workload claims', groupPod, groupClaim, {}, false],
    [
      'not through a group of another name',
      groupPod,
      claim({ ...reservedForGroup('other'), controller: group }),
      { workloadClaims: true },
      false,
    ],
    ['not without a group', templatePod(), groupClaim, { workloadClaims: true }, false],
    [
      'not through a claim that another group owns',
      groupPod,
      { ...groupClaim, controller: { ...group, name: 'x' } },
      { workloadClaims: true },
      false,
    ],
    [
      'not through an owner of another kind',
      groupPod,
      { ...groupClaim, controller: { ...group, kind: 'Job' } },
      { workloadClaims: true },
      false,
    ],
    [
      'not through an owner of another API group',
      groupPod,
      { ...groupClaim, controller: { ...group, apiVersion: 'v1' } },
      { workloadClaims: true },
      false,
    ],
    [
      'not where the group owns but is no consumer',
      groupPod,
      claim({ reservedFor: [], controller: group }),
      { workloadClaims: true },
      false,
    ],
    [
      'not by a consumer of another API group',
      groupPod,
      { ...groupClaim, reservedFor: [{ apiGroup: 'x', resource: 'podgroups', name: 'group', uid: 'u' }] },
      { workloadClaims: true },
      false,
    ],
    [
      'not by a consumer of another resource',
      groupPod,
      { ...groupClaim, reservedFor: [{ apiGroup: 'scheduling.k8s.io', resource: 'x', name: 'group', uid: 'u' }] },
      { workloadClaims: true },
      false,
    ],
    [
      'not of a foreign claim of a group, without a group of its own',
      templatePod(),
      claim({ controller: { ...group, uid: 'x' } }),
      { workloadClaims: true },
      false,
    ],
    ['a group owner counts only with workload claims', groupPod, claim({ controller: group }), {}, false],
    [
      'a group that stands for pods of its own is no consumer for all',
      pod(),
      claim(reservedForGroup('group')),
      { nonPodConsumers: true, workloadClaims: true },
      false,
    ],
    [
      'a job besides a group is one',
      pod(),
      claim({
        reservedFor: [
          ...reservedForGroup('group').reservedFor,
          { apiGroup: 'batch', resource: 'jobs', name: 'j', uid: 'j' },
        ],
      }),
      { nonPodConsumers: true, workloadClaims: true },
      true,
    ],
    [
      'a resource called pods of another API group is not a pod',
      pod(),
      claim({ reservedFor: [{ apiGroup: 'metrics.k8s.io', resource: 'pods', name: 'x', uid: 'x' }] }),
      { nonPodConsumers: true },
      true,
    ],
    [
      'a claim for any pod counts only with the setting',
      pod(),
      claim({ reservedFor: [], allocation: { devices: [], reservedForAnyPod: true } }),
      {},
      false,
    ],
  ];
  it.each(cases)('%s', (_, of, one, settings, expected) => {
    expect(consumed(of, [one], settings)).toEqual(expected ? ['claim'] : []);
  });

  it('once, however often it refers to it', () => {
    const twice = pod({
      resourceClaims: [
        { name: 'a', resourceClaimName: 'claim' },
        { name: 'b', resourceClaimName: 'claim' },
      ],
      extendedResourceClaimName: 'extended',
    });
    const extended = claim({ name: 'extended', ...ownedBy(pod()) });
    expect(consumed(twice, [claim(), extended], { extendedResourceClaims: true })).toEqual(['claim', 'extended']);
    expect(consumed(twice, [claim(), extended])).toEqual(['claim']);
  });
});

describe('an index of claims by pod holds', () => {
  it('every name that any setting could make count, once', () => {
    const of = templatePod({
      resourceClaims: [
        { name: 'a', resourceClaimName: 'one' },
        { name: 'b', resourceClaimTemplateName: 't' },
        { name: 'c', resourceClaimTemplateName: 't' },
        { name: 'd', resourceClaimName: 'one' },
      ],
      resourceClaimStatuses: [{ name: 'b', resourceClaimName: 'two' }, { name: 'c' }],
      extendedResourceClaimName: 'three',
    });
    expect(claimNamesOf(of)).toEqual(['one', 'two', 'three']);
    expect(claimNamesOf(pod({ extendedResourceClaimName: 'claim' }))).toEqual(['claim']);
    expect(claimNamesOf(pod({ resourceClaims: [] }))).toEqual([]);
    expect(claimNamesOf(pod({ resourceClaims: [{ name: 'a' }] }))).toEqual([]);
  });
});

describe('the annotation that reserves a claim', () => {
  const annotated = (text: string) => claim({ annotations: { 'sluice.dev/reserved-for': text } });
  const expected = 'and is ignored; expected {"apiGroup":"…","resource":"…","name":"…","uid":"…"}';

  it('is absent on most', () => {
    expect(parseReservedFor(claim())).toEqual({ kind: 'Absent' });
    expect(parseReservedFor(claim({ annotations: { 'sluice.dev/other': '{' } }))).toEqual({ kind: 'Absent' });
    expect(claimProblems(claim())).toEqual([]);
  });

  it('names one consumer; members that are unknown are left out', () => {
    const text = '{"apiGroup":"batch","resource":"jobs","name":"j","uid":"u","kind":"Job"}';
    const reference = { apiGroup: 'batch', resource: 'jobs', name: 'j', uid: 'u' };
    expect(parseReservedFor(annotated(text))).toEqual({ kind: 'Consumer', reference });
    expect(claimProblems(annotated(text))).toEqual([]);
  });

  it('without apiGroup names one of the core group', () => {
    const text = '{"resource":"replicationcontrollers","name":"j","uid":"u"}';
    expect(parseReservedFor(annotated(text))).toMatchObject({ kind: 'Consumer', reference: { apiGroup: '' } });
  });

  it.each([
    ['text', 'is not a JSON object'],
    ['', 'is not a JSON object'],
    ['null', 'is not a JSON object'],
    ['5', 'is not a JSON object'],
    ['[]', 'is not a JSON object'],
    ['{"apiGroup":1,"resource":"jobs","name":"j","uid":"u"}', 'has an apiGroup that is not a string'],
    ['{"name":"j","uid":"u"}', 'has no resource'],
    ['{"resource":"","name":"j","uid":"u"}', 'has no resource'],
    ['{"resource":"jobs","name":[],"uid":"u"}', 'has no name'],
    ['{"resource":"jobs","name":"j"}', 'has no uid'],
    ['{"resource":"pods","name":"j","uid":"u"}', 'names a pod'],
  ])('the annotation that reserves a claim as %s is malformed: %s', (text, what) => {
    const why = `annotation sluice.dev/reserved-for ${what} ${expected}`;
    expect(parseReservedFor(annotated(text))).toEqual({ kind: 'Malformed', why });
    expect(claimProblems(annotated(text))).toEqual([{ reason: 'ReservedForMalformed', why }]);
  });

  it('a pod is of the core group and resource pods', () => {
    expect(isPod({ resource: 'pods', name: 'x', uid: 'x' })).toBe(true);
    expect(isPod({ apiGroup: '', resource: 'pods', name: 'x', uid: 'x' })).toBe(true);
    expect(isPod({ apiGroup: 'x', resource: 'pods', name: 'x', uid: 'x' })).toBe(false);
    expect(isPod({ resource: 'services', name: 'x', uid: 'x' })).toBe(false);
  });
});

describe('the pods that a claim is reserved for', () => {
  const job = { apiGroup: 'batch', resource: 'jobs', name: 'job', uid: 'job-uid' };
  const two = claim(reservedFor(pod({ name: 'a', uid: '1' }), pod({ name: 'b', uid: '2' })));
  const annotated = JSON.stringify(job);

  it.each([
    ['are named by it', two, ['a', 'b']],
    ['are none where it is reserved for none', claim({ reservedFor: [] }), []],
    ['are named by it without an allocation', { ...unallocated(claim()), reservedFor: two.reservedFor }, ['a', 'b']],
    [
      'may be others where its allocation is for any pod',
      claim({ allocation: { devices: [], reservedForAnyPod: true } }),
    ],
    ['may be others where its spec names a consumer', { ...two, specReservedFor: job }],
    [
      'may be others where its annotation names a consumer',
      { ...two, annotations: { [reservedForAnnotation]: annotated } },
    ],
    ['may be others where one entry is no pod', { ...two, reservedFor: [...two.reservedFor, job] }],
    [
      'are named by it beside an annotation that is malformed',
      { ...two, annotations: { [reservedForAnnotation]: '{' } },
      ['a', 'b'],
    ],
  ] as readonly [string, ResourceClaim, (readonly string[])?][])(
    'pods that a claim is reserved for %s',
    (_, of, names) => {
      expect(reservedPods(of)).toEqual(names);
    },
  );
});
