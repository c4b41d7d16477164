// Which claims a pod refers to, owns and consumes.
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

describe('the claims that a pod consumes', () => {
  const cases: readonly [string, Pod, ResourceClaim, Partial<Settings>, boolean][] = [
    ['by name, reserved for its UID', pod(), claim(), {}, true],
    ['by name, whatever owns the claim', pod(), claim(ownedBy(pod({ uid: 'x' }))), {}, true],
    ['not a claim in another namespace', pod(), claim({ namespace: 'other' }), {}, false],
    ['not a claim without allocation', pod(), { ...unallocated(claim()), ...reservedFor(pod()) }, {}, false],
    ['not by the name of the pod alone', pod(), claim(reservedFor(pod({ uid: 'x' }))), {}, false],
    ['by UID alone, whatever name the entry has', pod(), claim(reservedFor(pod({ name: 'x', uid: '1234' }))), {}, true],
    ['from a template when the pod controls the claim', templatePod(), claim(ownedBy(pod())), {}, true],
    ['not from a template when the claim has no controller', templatePod(), claim(), {}, false],
    [
      'not by a reference without a claim or template name',
      pod({ resourceClaims: [{ name: 'device' }] }),
      claim(),
      {},
      false,
    ],
    [
      'not from a template when the status is of another entry',
      templatePod({ resourceClaimStatuses: [{ name: 'x', resourceClaimName: 'claim' }] }),
      claim(ownedBy(pod())),
      {},
      false,
    ],
    [
      'not by a reference without a claim or template name, although its status names a claim',
      templatePod({ resourceClaims: [{ name: 'device' }] }),
      claim(ownedBy(pod())),
      {},
      false,
    ],
    ['through its PodGroup with workloadClaims', groupPod, groupClaim, { workloadClaims: true }, true],
    ['not through its PodGroup without workloadClaims', groupPod, groupClaim, {}, false],
    [
      'not through a PodGroup of another name',
      groupPod,
      claim({ ...reservedForGroup('other'), controller: group }),
      { workloadClaims: true },
      false,
    ],
    ['not through a PodGroup when the pod has none', templatePod(), groupClaim, { workloadClaims: true }, false],
    [
      'not a claim that another PodGroup controls',
      groupPod,
      { ...groupClaim, controller: { ...group, name: 'x' } },
      { workloadClaims: true },
      false,
    ],
    [
      'not a claim that an object of another kind controls',
      groupPod,
      { ...groupClaim, controller: { ...group, kind: 'Job' } },
      { workloadClaims: true },
      false,
    ],
    [
      'not a claim that an object of another API group controls',
      groupPod,
      { ...groupClaim, controller: { ...group, apiVersion: 'v1' } },
      { workloadClaims: true },
      false,
    ],
    [
      'not when the PodGroup controls the claim without a reservation',
      groupPod,
      claim({ reservedFor: [], controller: group }),
      { workloadClaims: true },
      false,
    ],
    [
      'not by a reservation for another API group',
      groupPod,
      { ...groupClaim, reservedFor: [{ apiGroup: 'x', resource: 'podgroups', name: 'group', uid: 'u' }] },
      { workloadClaims: true },
      false,
    ],
    [
      'not by a reservation for another resource',
      groupPod,
      { ...groupClaim, reservedFor: [{ apiGroup: 'scheduling.k8s.io', resource: 'x', name: 'group', uid: 'u' }] },
      { workloadClaims: true },
      false,
    ],
    [
      'not a claim that a PodGroup controls when the pod has no group',
      templatePod(),
      claim({ controller: { ...group, uid: 'x' } }),
      { workloadClaims: true },
      false,
    ],
    [
      'not a claim that its PodGroup controls without workloadClaims',
      groupPod,
      claim({ controller: group }),
      {},
      false,
    ],
    [
      'not through a PodGroup entry as a non-pod consumer, with workloadClaims',
      pod(),
      claim(reservedForGroup('group')),
      { nonPodConsumers: true, workloadClaims: true },
      false,
    ],
    [
      'through a Job entry beside a PodGroup entry, as a non-pod consumer',
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
      'through an entry for pods of another API group, as a non-pod consumer',
      pod(),
      claim({ reservedFor: [{ apiGroup: 'metrics.k8s.io', resource: 'pods', name: 'x', uid: 'x' }] }),
      { nonPodConsumers: true },
      true,
    ],
    [
      'not a claim reserved for any pod without nonPodConsumers',
      pod(),
      claim({ reservedFor: [], allocation: { devices: [], reservedForAnyPod: true } }),
      {},
      false,
    ],
  ];
  it.each(cases)('a pod consumes a claim that is reserved for it: %s', (_, of, one, settings, expected) => {
    expect(consumed(of, [one], settings)).toEqual(expected ? ['claim'] : []);
  });

  it('a pod consumes a claim once, however often it refers to it', () => {
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

describe('the index of claims by pod', () => {
  it('the index of claims by pod has each claim name once that any setting could use', () => {
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

describe('the annotation sluice.dev/reserved-for', () => {
  const annotated = (text: string) => claim({ annotations: { 'sluice.dev/reserved-for': text } });
  const expected = 'and is ignored; expected {"apiGroup":"…","resource":"…","name":"…","uid":"…"}';

  it('a claim without sluice.dev/reserved-for has no annotated consumer and no problem', () => {
    expect(parseReservedFor(claim())).toEqual({ kind: 'Absent' });
    expect(parseReservedFor(claim({ annotations: { 'sluice.dev/other': '{' } }))).toEqual({ kind: 'Absent' });
    expect(claimProblems(claim())).toEqual([]);
  });

  it('the annotation names one consumer, and its unknown members are ignored', () => {
    const text = '{"apiGroup":"batch","resource":"jobs","name":"j","uid":"u","kind":"Job"}';
    const reference = { apiGroup: 'batch', resource: 'jobs', name: 'j', uid: 'u' };
    expect(parseReservedFor(annotated(text))).toEqual({ kind: 'Consumer', reference });
    expect(claimProblems(annotated(text))).toEqual([]);
  });

  it('an annotation without apiGroup names a consumer of the core group', () => {
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
  ])('the annotation sluice.dev/reserved-for with %s is malformed: it %s', (text, what) => {
    const why = `annotation sluice.dev/reserved-for ${what} ${expected}`;
    expect(parseReservedFor(annotated(text))).toEqual({ kind: 'Malformed', why });
    expect(claimProblems(annotated(text))).toEqual([{ reason: 'ReservedForMalformed', why }]);
  });

  it('a consumer is a pod only with the core group and the resource pods', () => {
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
    ['are those in reservedFor', two, ['a', 'b']],
    ['are none when reservedFor is empty', claim({ reservedFor: [] }), []],
    [
      'are those in reservedFor of an unallocated claim',
      { ...unallocated(claim()), reservedFor: two.reservedFor },
      ['a', 'b'],
    ],
    [
      'may be others when its allocation is for any pod',
      claim({ allocation: { devices: [], reservedForAnyPod: true } }),
    ],
    ['may be others when its spec names a consumer', { ...two, specReservedFor: job }],
    [
      'may be others when its annotation names a consumer',
      { ...two, annotations: { [reservedForAnnotation]: annotated } },
    ],
    ['may be others when one entry is not a pod', { ...two, reservedFor: [...two.reservedFor, job] }],
    [
      'are those in reservedFor beside a malformed annotation',
      { ...two, annotations: { [reservedForAnnotation]: '{' } },
      ['a', 'b'],
    ],
  ] as readonly [string, ResourceClaim, (readonly string[])?][])(
    'the pods that a claim is reserved for %s',
    (_, of, names) => {
      expect(reservedPods(of)).toEqual(names);
    },
  );
});
