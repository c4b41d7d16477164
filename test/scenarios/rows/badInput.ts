// Objects as old clusters and broken drivers write them: names and lists at their limits, empty texts, extreme times.
import {
  allocated,
  atSecond,
  claim,
  driver,
  pod,
  pool,
  reservedFor,
  result,
  rule,
  slice,
  taint,
  taintedSlice,
  templatePod,
  tolerating,
  toleration,
} from '../../support/builders.ts';
import { type Event, type Expectation, history, put } from '../scenario.ts';

const evicted = { deleted: ['pod'] };
const untouched = { idle: true } as const;

function meets(name: string, events: readonly Event[], expect: Expectation) {
  return history(`bad-input ${name}`, { steps: [{ events, expect }] });
}

/** Longest names: 63 for a label, 253 for a subdomain. */
const label = 'a'.repeat(63);
const subdomain = [label, label, label, 'a'.repeat(61)].join('.');
const longPod = pod({
  name: subdomain,
  namespace: label,
  resourceClaims: [{ name: label, resourceClaimName: subdomain }],
});
const longDevice = { driver: label, pool: `${subdomain.slice(0, 120)}/${subdomain.slice(0, 120)}`, device: label };
const longClaim = claim({
  name: subdomain,
  namespace: label,
  ...reservedFor(longPod),
  ...allocated(result(longDevice)),
});
const longRule = rule({
  name: subdomain,
  deviceSelector: longDevice,
  taint: taint({ key: `${subdomain}/${label}`, value: label }),
});

const others = Array.from({ length: 255 }, (_, i) => pod({ name: `other-${i}` }));
const results = Array.from({ length: 32 }, (_, i) => result({ device: `device-${i}` }));
const lastTainted = slice({
  devices: results.map(({ device }, i) => ({ name: device, taints: i === 31 ? [taint()] : [] })),
});
const twice = slice({ devices: [{ name: 'instance' }, { name: 'instance', taints: [taint()] }] });

export const badInput = [
  meets('256-reservations', [put(taintedSlice()), put(claim(reservedFor(...others, pod()))), put(pod())], evicted),
  meets('32-results', [put(lastTainted), put(claim(allocated(...results))), put(pod())], evicted),
  meets('longest-names', [put(longRule), put(longClaim), put(longPod)], { deleted: [subdomain] }),
  meets('device-twice', [put(twice), put(claim()), put(pod())], evicted),
  history('bad-input generation-beyond-int64', {
    given: [slice({ pool: { name: pool, generation: 2 ** 63 } }), claim(), pod()],
    steps: [{ events: [put(taintedSlice([taint()], { name: 'older' }))], expect: untouched }],
  }),
  meets(
    'no-reserved-uid',
    [put(taintedSlice()), put(claim({ reservedFor: [{ resource: 'pods', name: 'pod', uid: '' }] })), put(pod())],
    untouched,
  ),
  meets(
    'empty-claim-name',
    [put(taintedSlice()), put(claim()), put(pod({ resourceClaims: [{ name: '', resourceClaimName: '' }] }))],
    untouched,
  ),
  meets(
    'empty-generated-name',
    [
      put(taintedSlice()),
      put(claim()),
      put(templatePod({ resourceClaimStatuses: [{ name: 'device', resourceClaimName: '' }] })),
    ],
    untouched,
  ),
  meets(
    'empty-device-names',
    [
      put(rule({ deviceSelector: { driver, device: 'instance' } })),
      put(claim(allocated(result({ device: '' })))),
      put(pod()),
    ],
    untouched,
  ),
  meets('empty-effect', [put(taintedSlice([taint({ effect: '' })])), put(claim()), put(pod())], untouched),
  meets(
    'empty-key',
    [put(taintedSlice([taint({ key: '' })])), put(claim(tolerating(toleration()))), put(pod())],
    evicted,
  ),
  meets('time-is-no-number', [put(taintedSlice([taint({ timeAdded: Number.NaN })])), put(claim()), put(pod())], {
    unknown: ['pod'],
    idle: true,
  }),
  meets(
    'seconds-are-no-number',
    [put(taintedSlice()), put(claim(tolerating(toleration({ tolerationSeconds: Number.NaN })))), put(pod())],
    { unknown: ['pod'], idle: true },
  ),
  meets(
    'date-in-the-far-future',
    [put(taintedSlice([taint({ timeAdded: Date.UTC(9999, 11, 31) })])), put(claim()), put(pod())],
    {
      planned: { pod: (Date.UTC(9999, 11, 31) - atSecond(0)) / 1000 },
    },
  ),
  meets(
    'date-before-the-epoch',
    [put(taintedSlice([taint({ timeAdded: -62_135_596_800_000 })])), put(claim()), put(pod())],
    evicted,
  ),
];
