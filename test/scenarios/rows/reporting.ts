// Rows 11 to 18, 57, 58, 60, 80 to 83: what a rule's condition says, and when.
import type { DeviceTaintRule } from '../../../lib/model/objects.ts';
import {
  allocated,
  atSecond,
  claim,
  edited,
  pod,
  reservedFor,
  reservedForGroup,
  result,
  rule,
  slice,
  taint,
  tolerating,
  toleration,
} from '../../support/builders.ts';
import { history, put, remove } from '../scenario.ts';

const noneRule = rule({ taint: taint({ effect: 'None' }) });
const evictedOne = '1 pod evicted since starting the controller.';
const needsOne = 'True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.';
const once = 'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.';

/** Two pods with a claim each; the second one's claim holds `devices` and lives in `namespace`. */
function twoPods(namespace: string, devices = [result({ device: 'instance-2' })]) {
  const second = pod({ name: 'pod-2', namespace, resourceClaims: [{ name: 'd', resourceClaimName: 'claim-2' }] });
  return [
    put(claim()),
    put(pod()),
    put(claim({ name: 'claim-2', namespace, ...reservedFor(second), ...allocated(...devices) })),
    put(second),
  ];
}

function preview(published: string, allocatedDevices: string, pods: string): string {
  return `False NoEffect: ${published} selected. ${allocatedDevices} selected. ${pods} if the effect was NoExecute. ${once}`;
}

const two = [result({ device: 'x' }), result({ device: 'y' })];

/** Counts in the dry run, then the effect goes to NoExecute after 20 seconds. */
const enforced: DeviceTaintRule = edited(noneRule, { taint: taint({ timeAdded: atSecond(20) }) });

export const reporting = [
  history('row-011 evict-pod-rule', {
    steps: [
      {
        events: [put(claim()), put(pod()), put(rule())],
        expect: { deleted: ['pod'], conditions: { rule: needsOne }, conditionWrites: { rule: 1 } },
      },
      { advance: 9, expect: { deleted: ['pod'], conditions: { rule: needsOne } } },
      { advance: 1, expect: { deleted: ['pod'], conditions: { rule: `False Completed: ${evictedOne}` }, idle: true } },
    ],
  }),
  history('row-012 evict-pod-rule-later', {
    steps: [
      {
        events: [put(claim(tolerating(toleration({ tolerationSeconds: 3600 })))), put(pod()), put(rule())],
        expect: { planned: { pod: 3600 }, conditions: { rule: needsOne } },
      },
      { advance: 3599, expect: { planned: { pod: 3600 }, conditionWrites: { rule: 1 } } },
      { advance: 10, expect: { deleted: ['pod'], conditions: { rule: needsOne }, conditionWrites: { rule: 1 } } },
      { advance: 1, expect: { deleted: ['pod'], conditions: { rule: `False Completed: ${evictedOne}` } } },
    ],
  }),
  history('row-013 many-namespaces', {
    steps: [
      {
        events: [...twoPods('other'), put(rule())],
        expect: {
          deleted: ['pod', 'pod-2'],
          conditions: { rule: 'True PodsPendingEviction: 2 pods need to be evicted in 2 different namespaces.' },
        },
      },
      {
        advance: 10,
        expect: {
          deleted: ['pod', 'pod-2'],
          conditions: { rule: 'False Completed: 2 pods evicted since starting the controller.' },
        },
      },
    ],
  }),
  history('row-014 same-namespace', {
    steps: [
      {
        events: [...twoPods('default'), put(rule())],
        expect: {
          deleted: ['pod', 'pod-2'],
          conditions: { rule: 'True PodsPendingEviction: 2 pods need to be evicted in 1 namespace.' },
        },
      },
    ],
  }),
  history('row-015 none-rule', {
    steps: [
      {
        events: [put(slice()), put(claim()), put(pod()), put(noneRule)],
        expect: {
          conditions: {
            rule: preview('3 published devices', '1 allocated device', '1 pod would be evicted in 1 namespace'),
          },
          idle: true,
        },
      },
    ],
  }),
  history('row-016 none-no-slices-2ns', {
    steps: [
      {
        events: [...twoPods('other', two), put(noneRule)],
        expect: {
          conditions: {
            rule: preview(
              '0 published devices',
              '3 allocated devices',
              '2 pods would be evicted in 2 different namespaces',
            ),
          },
        },
      },
    ],
  }),
  history('row-017 none-no-slices-1ns', {
    steps: [
      {
        events: [...twoPods('default', two), put(noneRule)],
        expect: {
          conditions: {
            rule: preview('0 published devices', '3 allocated devices', '2 pods would be evicted in 1 namespace'),
          },
        },
      },
    ],
  }),
  history('row-018 none-podgroup', {
    settings: { workloadClaims: true },
    steps: [
      {
        events: [put(claim(reservedForGroup('group'))), put(pod({ podGroupName: 'group' })), put(noneRule)],
        expect: {
          conditions: {
            rule: preview('0 published devices', '1 allocated device', '1 pod would be evicted in 1 namespace'),
          },
        },
      },
    ],
  }),
  history('row-057 dry-run-immediate', {
    given: [claim(), pod(), noneRule],
    steps: [
      { advance: 20, expect: { conditionWrites: { rule: 1 } } },
      { events: [put(enforced)], expect: { deleted: ['pod'], conditions: { rule: needsOne } } },
      { advance: 10, expect: { deleted: ['pod'], conditions: { rule: `False Completed: ${evictedOne}` } } },
    ],
  }),
  history('row-058 dry-run-delayed', {
    given: [claim(tolerating(toleration({ key: '', tolerationSeconds: 30 }))), pod(), noneRule],
    steps: [
      { advance: 20, expect: {} },
      { events: [put(enforced)], expect: { planned: { pod: 50 }, conditions: { rule: needsOne } } },
      { advance: 29, expect: { planned: { pod: 50 } } },
      { advance: 10, expect: { deleted: ['pod'], conditions: { rule: needsOne }, conditionWrites: { rule: 2 } } },
      { advance: 1, expect: { deleted: ['pod'], conditions: { rule: `False Completed: ${evictedOne}` } } },
    ],
  }),
  history('row-060 rule-deleted-after', {
    given: [claim(), pod(), rule()],
    steps: [
      { advance: 10, expect: { deleted: ['pod'], conditions: { rule: `False Completed: ${evictedOne}` } } },
      { events: [remove(rule())], expect: { deleted: ['pod'], conditions: {}, idle: true } },
      {
        events: [put(rule({ uid: 'successor' }))],
        expect: { deleted: ['pod'], conditions: { rule: 'False NotStarted: ' }, idle: true },
      },
    ],
  }),
  history('row-080 noschedule-rule', {
    steps: [
      {
        events: [put(claim()), put(pod()), put(rule({ taint: taint({ effect: 'NoSchedule' }) }))],
        expect: {
          conditions: { rule: 'False OtherEffect: Eviction only happens for the NoExecute effect.' },
          idle: true,
        },
      },
    ],
  }),
  history('row-081 effect-lowered', {
    given: [
      claim(reservedFor(pod({ name: 'a' }), pod({ name: 'b' }), pod({ name: 'c' }))),
      pod({ name: 'a' }),
      pod({ name: 'b' }),
      pod({ name: 'c' }),
      rule(),
    ],
    steps: [
      { advance: 10, expect: { deleted: ['a', 'b', 'c'] } },
      {
        events: [put(edited(rule(), { taint: taint({ effect: 'None' }) }))],
        expect: {
          deleted: ['a', 'b', 'c'],
          conditions: {
            rule: `${preview('0 published devices', '1 allocated device', '0 pods would be evicted in 0 different namespaces')} 3 pods evicted since starting the controller.`,
          },
        },
      },
    ],
  }),
  history('row-082 spec-change-throttle', {
    given: [claim(tolerating(toleration({ tolerationSeconds: 60 }))), pod(), rule()],
    steps: [
      { advance: 2, expect: { planned: { pod: 60 }, conditionWrites: { rule: 1 } } },
      {
        events: [put(edited(rule(), { deviceSelector: { driver: 'other' } }))],
        expect: { cancelled: 1, conditions: { rule: 'False NotStarted: ' }, conditionWrites: { rule: 2 } },
      },
    ],
  }),
  history('row-083 restart-after-done', {
    given: [claim(), pod(), rule()],
    steps: [
      { advance: 10, expect: { deleted: ['pod'], conditions: { rule: `False Completed: ${evictedOne}` } } },
      {
        relist: true,
        advance: 60,
        expect: {
          deleted: ['pod'],
          conditions: { rule: `False Completed: ${evictedOne}` },
          conditionWrites: { rule: 2 },
        },
      },
    ],
  }),
];
