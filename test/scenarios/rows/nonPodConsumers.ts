// KEP-5194: claims reserved for a consumer that is not a pod.
import type { ConsumerReference, ResourceClaim } from '../../../lib/model/objects.ts';
import { claim, ownedBy, pod, reservedForGroup, taintedSlice, templatePod } from '../../support/builders.ts';
import { type Expectation, history, put, type Scenario } from '../scenario.ts';

const settings = { nonPodConsumers: true };
const job: ConsumerReference = { apiGroup: 'batch', resource: 'jobs', name: 'training', uid: 'job-uid' };
const forJob: Partial<ResourceClaim> = { reservedFor: [job] };
const evicted = { deleted: ['pod'] };
const untouched = { idle: true } as const;

function reserved(name: string, overrides: Partial<ResourceClaim>, expect: Expectation) {
  return history(`kep-5194 ${name}`, {
    settings,
    steps: [{ events: [put(taintedSlice()), put(claim({ reservedFor: [], ...overrides })), put(pod())], expect }],
  });
}

function annotated(value: string): Partial<ResourceClaim> {
  return { annotations: { 'sluice.dev/reserved-for': value } };
}

const many = Array.from({ length: 9000 }, (_, i) => pod({ name: `pod-${String(i).padStart(4, '0')}` }));

export const nonPodConsumers: readonly Scenario[] = [
  reserved('status-entry', forJob, evicted),
  reserved('spec-entry', { specReservedFor: job }, evicted),
  reserved('spec-entry-pod', { specReservedFor: { resource: 'pods', name: 'x', uid: 'x' } }, untouched),
  reserved('any-pod', { allocation: { devices: claim().allocation?.devices ?? [], reservedForAnyPod: true } }, evicted),
  reserved('annotation', annotated(JSON.stringify(job)), evicted),
  reserved('annotation-malformed', annotated('job/training'), untouched),
  reserved('annotation-pod', annotated('{"resource":"pods","name":"pod","uid":"1234"}'), untouched),
  reserved('mixed-entries', { reservedFor: [{ resource: 'pods', name: 'other', uid: 'other' }, job] }, evicted),
  reserved('podgroup-as-any-consumer', reservedForGroup('group'), evicted),
  history('kep-5194 podgroup-with-workload-claims', {
    settings: { ...settings, workloadClaims: true },
    steps: [{ events: [put(taintedSlice()), put(claim(reservedForGroup('group'))), put(pod())], expect: untouched }],
  }),
  history('kep-5194 feature-off', {
    steps: [
      {
        events: [put(taintedSlice()), put(claim({ ...forJob, ...annotated(JSON.stringify(job)) })), put(pod())],
        expect: untouched,
      },
    ],
  }),
  history('kep-5194 not-scheduled', {
    settings,
    steps: [
      { events: [put(taintedSlice()), put(claim(forJob)), put(pod({ nodeName: '' }))], expect: untouched },
      { events: [put(pod())], expect: evicted },
    ],
  }),
  history('kep-5194 no-reference', {
    settings,
    steps: [{ events: [put(taintedSlice()), put(claim(forJob)), put(pod({ resourceClaims: [] }))], expect: untouched }],
  }),
  history('kep-5194 template-of-another-pod', {
    settings,
    steps: [
      {
        events: [put(taintedSlice()), put(claim({ ...forJob, ...ownedBy(pod({ uid: 'x' })) })), put(templatePod())],
        expect: untouched,
      },
    ],
  }),
  history('kep-5194 consumer-leaves', {
    settings,
    given: [claim(forJob), pod()],
    steps: [
      { events: [put(taintedSlice())], held: true, expect: { planned: { pod: 0 } } },
      { events: [put(claim({ reservedFor: [] }))], expect: { cancelled: 1, idle: true } },
    ],
  }),
  history('kep-5194 nine-thousand-pods', {
    settings,
    once: true,
    given: [claim(forJob), ...many],
    steps: [{ events: [put(taintedSlice())], expect: { deleted: many.map((one) => one.name) } }],
  }),
];
