// Rows 19 to 21, 77 to 79, 92, 93, 95: which devices rules select, alone and together.
import type { DeviceTaintRule } from '../../../lib/model/objects.ts';
import {
  allocated,
  atSecond,
  claim,
  pod,
  reservedFor,
  result,
  rule,
  taint,
  taintedSlice,
  toleration,
} from '../../support/builders.ts';
import { history, put, remove } from '../scenario.ts';

const twoClaims = pod({
  resourceClaims: [
    { name: 'a', resourceClaimName: 'claim' },
    { name: 'b', resourceClaimName: 'claim-2' },
  ],
});
const second = claim({ name: 'claim-2', ...allocated(result({ device: 'instance-2' })) });
const rule1 = rule({ name: 'rule-1', deviceSelector: { device: 'instance' } });
const rule2 = rule({
  name: 'rule-2',
  deviceSelector: { device: 'instance-2' },
  taint: taint({ timeAdded: atSecond(40) }),
});
const evictedOne = 'False Completed: 1 pod evicted since starting the controller.';
const bothEvicted = { deleted: ['pod'], conditions: { 'rule-1': evictedOne, 'rule-2': evictedOne } };
const bothReasons = { pod: ['rule rule-1', 'rule rule-2'] };

/** A pod with a device of its own, in a namespace of its own. */
function resident(name: string, device: { driver?: string; pool?: string; device?: string }) {
  const one = pod({ name, namespace: name, resourceClaims: [{ name: 'd', resourceClaimName: name }] });
  return [one, claim({ name, namespace: name, ...reservedFor(one), ...allocated(result(device)) })];
}

const { deviceSelector: _, ...withoutSelector } = rule();
const nilRule: DeviceTaintRule = withoutSelector;
const forever = toleration({ operator: 'Exists' });

export const selecting = [
  history('row-019 multi-claims-same-rule', {
    steps: [
      {
        events: [put(claim()), put(second), put(twoClaims), put(rule())],
        expect: {
          deleted: ['pod'],
          conditions: { rule: 'True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.' },
        },
      },
      { advance: 10, expect: { deleted: ['pod'], conditions: { rule: evictedOne } } },
    ],
  }),
  history('row-020 multi-rules-order-1', {
    given: [claim(), second, twoClaims],
    steps: [
      { events: [put(rule1)], held: true, expect: { planned: { pod: 0 }, reasons: { pod: ['rule rule-1'] } } },
      { events: [put(rule2)], held: true, expect: { planned: { pod: 0 }, reasons: bothReasons } },
      { expect: { deleted: ['pod'] } },
      { advance: 10, expect: bothEvicted },
    ],
  }),
  history('row-021 multi-rules-order-2', {
    given: [claim(), second, twoClaims],
    steps: [
      { events: [put(rule2)], held: true, expect: { planned: { pod: 40 }, reasons: { pod: ['rule rule-2'] } } },
      { events: [put(rule1)], held: true, expect: { planned: { pod: 0 }, reasons: bothReasons } },
      { advance: 10, expect: bothEvicted },
      { advance: 30, expect: { ...bothEvicted, calls: ['PATCH pod', 'DELETE pod'], idle: true } },
    ],
  }),
  history('row-077 nil-selector', {
    steps: [
      {
        events: [put(claim()), put(pod()), put(nilRule)],
        expect: { conditions: { rule: 'False NotStarted: ' }, idle: true },
      },
    ],
  }),
  history('row-078 empty-selector', {
    given: [...resident('a', {}), ...resident('b', { driver: 'other-driver', pool: 'p', device: 'd' })],
    steps: [
      { events: [put(rule({ deviceSelector: {} })), put(claim()), put(pod())], expect: { deleted: ['a', 'b', 'pod'] } },
    ],
  }),
  history('row-079 pool-only', {
    given: [
      ...resident('a', { driver: 'one', pool: 'node' }),
      ...resident('b', { driver: 'two', pool: 'node' }),
      ...resident('c', { driver: 'one', pool: 'elsewhere' }),
    ],
    steps: [{ events: [put(rule({ deviceSelector: { pool: 'node' } }))], expect: { deleted: ['a', 'b'] } }],
  }),
  history('row-092 admin-access', {
    steps: [
      {
        events: [put(taintedSlice()), put(claim(allocated(result({ adminAccess: true })))), put(pod())],
        expect: { deleted: ['pod'] },
      },
    ],
  }),
  history('row-093 shared-device', {
    given: [...resident('a', {})],
    steps: [
      {
        events: [
          put(taintedSlice()),
          put(claim(allocated(result({ shareID: 'share', tolerations: [forever] })))),
          put(pod()),
        ],
        expect: { deleted: ['a'] },
      },
    ],
  }),
  history('prioritized chosen-alternative', {
    steps: [
      {
        events: [
          put(taintedSlice()),
          put(claim(allocated(result({ request: 'device/second', tolerations: [forever] })))),
          put(pod()),
        ],
        expect: { idle: true },
      },
    ],
  }),
  history('row-095 two-rules-one-removed', {
    given: [
      claim(
        allocated(
          result({
            tolerations: [
              toleration({ key: 'k1', tolerationSeconds: 30 }),
              toleration({ key: 'k2', tolerationSeconds: 60 }),
            ],
          }),
        ),
      ),
      pod(),
      rule({ name: 'rule-1', taint: taint({ key: 'k1' }) }),
      rule({ name: 'rule-2', taint: taint({ key: 'k2' }) }),
    ],
    steps: [
      { expect: { planned: { pod: 30 } } },
      {
        events: [remove(rule({ name: 'rule-1' }))],
        expect: { planned: { pod: 60 }, reasons: { pod: ['rule rule-2'] } },
      },
    ],
  }),
];
