// Rows 7 to 10, 23 to 28, 36 to 42, 51, 52, 89, 90: which pods are consumers of a tainted device.
import {
  claim,
  ownedBy,
  pod,
  reservedFor,
  reservedForGroup,
  slice,
  taintedSlice,
  templatePod,
} from '../../support/builders.ts';
import { history, put, remove } from '../scenario.ts';

const workloadClaims = { workloadClaims: true };
const extendedResourceClaims = { extendedResourceClaims: true };
const groupClaim = claim(reservedForGroup('group'));
const groupPod = pod({ podGroupName: 'group' });
const extendedPod = pod({ resourceClaims: [], extendedResourceClaimName: 'claim' });
const stranger = pod({ uid: 'stranger' });
const evicted = { deleted: ['pod'] };
const untouched = { idle: true } as const;

export const evicting = [
  history('row-007 evict-pod', {
    steps: [{ events: [put(taintedSlice()), put(claim()), put(pod())], expect: evicted }],
  }),
  history('row-008 evict-podgroup', {
    settings: workloadClaims,
    steps: [{ events: [put(taintedSlice()), put(groupClaim), put(groupPod)], expect: evicted }],
  }),
  history('row-008 evict-podgroup, claim of the group from a template', {
    settings: workloadClaims,
    steps: [
      {
        events: [
          put(taintedSlice()),
          put({
            ...groupClaim,
            controller: { apiVersion: 'scheduling.k8s.io/v1beta1', kind: 'PodGroup', name: 'group', uid: 'group-uid' },
          }),
          put(templatePod({ podGroupName: 'group' })),
        ],
        expect: evicted,
      },
    ],
  }),
  history('row-009 podgroup-no-ref', {
    settings: workloadClaims,
    steps: [
      {
        events: [put(taintedSlice()), put(groupClaim), put({ ...groupPod, resourceClaims: [] })],
        expect: untouched,
      },
    ],
  }),
  history('row-010 podgroup-feature-off', {
    steps: [{ events: [put(taintedSlice()), put(groupClaim), put(groupPod)], expect: untouched }],
  }),
  history('row-023 after-scheduling', {
    given: [taintedSlice(), claim(), pod({ nodeName: '' })],
    steps: [{ expect: untouched }, { events: [put(pod())], expect: evicted }],
  }),
  history('row-025 template-claim', {
    steps: [{ events: [put(taintedSlice()), put(claim(ownedBy(templatePod()))), put(templatePod())], expect: evicted }],
  }),
  history('row-026 extended-resource', {
    settings: extendedResourceClaims,
    steps: [{ events: [put(taintedSlice()), put(claim(ownedBy(extendedPod))), put(extendedPod)], expect: evicted }],
  }),
  history('row-026 extended-resource, as upstream before 1.38', {
    steps: [{ events: [put(taintedSlice()), put(claim(ownedBy(extendedPod))), put(extendedPod)], expect: untouched }],
  }),
  history('row-027 extended-status-update', {
    settings: extendedResourceClaims,
    given: [taintedSlice(), claim(ownedBy(extendedPod)), pod({ resourceClaims: [] })],
    steps: [{ expect: untouched }, { events: [put(extendedPod)], expect: evicted }],
  }),
  history('row-028 extended-wrong-owner', {
    settings: extendedResourceClaims,
    steps: [{ events: [put(taintedSlice()), put(claim(ownedBy(stranger))), put(extendedPod)], expect: untouched }],
  }),
  history('row-036 not-scheduled', {
    steps: [{ events: [put(taintedSlice()), put(claim()), put(pod({ nodeName: '' }))], expect: untouched }],
  }),
  history('row-037 no-taint', {
    steps: [
      { events: [put(slice()), put(claim()), put(pod())], expect: untouched },
      { events: [put(slice()), put(claim()), put(pod())], expect: untouched },
    ],
  }),
  history('row-038 template-no-status', {
    steps: [
      {
        events: [put(taintedSlice()), put(claim(ownedBy(pod()))), put(templatePod({ resourceClaimStatuses: [] }))],
        expect: untouched,
      },
    ],
  }),
  history('row-039 template-nil-claim', {
    steps: [
      {
        events: [
          put(taintedSlice()),
          put(claim(ownedBy(pod()))),
          put(templatePod({ resourceClaimStatuses: [{ name: 'device' }] })),
        ],
        expect: untouched,
      },
    ],
  }),
  history('row-040 other-device', {
    steps: [
      {
        events: [
          put(taintedSlice(undefined, { pool: { name: 'elsewhere', generation: 1 } })),
          put(claim()),
          put(pod()),
        ],
        expect: untouched,
      },
      { events: [put(slice({ name: 'here' }))], expect: untouched },
    ],
  }),
  history('row-041 wrong-pod', {
    steps: [{ events: [put(taintedSlice()), put(claim()), put(stranger)], expect: untouched }],
  }),
  history('row-042 wrong-pod-replaced', {
    given: [taintedSlice(), claim(), stranger],
    steps: [{ expect: untouched }, { events: [remove(stranger), put(pod())], expect: evicted }],
  }),
  history('row-051 wrong-claim-owner', {
    steps: [{ events: [put(taintedSlice()), put(claim(ownedBy(stranger))), put(templatePod())], expect: untouched }],
  }),
  history('row-052 claim-replaced', {
    given: [taintedSlice(), templatePod(), claim(ownedBy(stranger))],
    steps: [
      { expect: untouched },
      {
        events: [remove(claim(ownedBy(stranger))), put(claim({ ...ownedBy(pod()), uid: 'successor' }))],
        expect: evicted,
      },
    ],
  }),
  history('row-089 finished-pod', {
    steps: [
      { events: [put(taintedSlice()), put(claim()), put(pod({ labels: { phase: 'Succeeded' } }))], expect: evicted },
    ],
  }),
  history('row-090 shared-claim', {
    steps: [
      {
        events: [
          put(taintedSlice()),
          put(claim(reservedFor(pod({ name: 'a' }), pod({ name: 'b' }), pod({ name: 'c' })))),
          put(pod({ name: 'a' })),
          put(pod({ name: 'c' })),
        ],
        expect: { deleted: ['a', 'c'] },
      },
    ],
  }),
];
