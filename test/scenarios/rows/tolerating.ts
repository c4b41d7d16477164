// Rows 29 to 35, 45 to 47 and 65 to 76: tolerations, effects, and when a toleration ends.
import type { DeviceTaint, DeviceToleration } from '../../../lib/model/objects.ts';
import { atSecond, claim, pod, rule, taint, taintedSlice, tolerating, toleration } from '../../support/builders.ts';
import { type History, history, put, type Scenario } from '../scenario.ts';

const forever = toleration({ operator: 'Exists' });

/** A claim with these tolerations meets these taints of a slice. */
function meets(
  name: string,
  tolerations: readonly DeviceToleration[],
  taints: readonly DeviceTaint[],
  then: Pick<History, 'steps' | 'settings'>['steps'][number]['expect'],
): Scenario {
  const events = [put(taintedSlice(taints)), put(claim(tolerating(...tolerations))), put(pod())];
  return history(name, { steps: [{ events, expect: then }] });
}

function matches(name: string, one: DeviceToleration, other: Partial<DeviceTaint>, tolerated: boolean): Scenario {
  const of = { key: 'foo', effect: 'NoSchedule', ...other };
  return { kind: 'Toleration', name, toleration: one, taint: of, tolerated };
}

const untouched = { idle: true } as const;
const foo = { key: 'foo', effect: 'NoSchedule' };

export const tolerated: readonly Scenario[] = [
  history('row-029 evict-later', {
    steps: [
      {
        events: [put(taintedSlice()), put(claim(tolerating(toleration({ tolerationSeconds: 3600 })))), put(pod())],
        expect: { planned: { pod: 3600 } },
      },
      { advance: 3599, expect: { planned: { pod: 3600 } } },
      { advance: 1, expect: { deleted: ['pod'] } },
    ],
  }),
  meets(
    'row-030 evict-later-many',
    [
      toleration({ key: 'example.com/other', tolerationSeconds: 20 }),
      toleration({ operator: 'Exists', tolerationSeconds: 60 }),
      toleration({ operator: 'Exists', tolerationSeconds: 30 }),
    ],
    [taint()],
    { planned: { pod: 30 } },
  ),
  meets('row-031 toleration-mismatch', [toleration({ key: 'example.com/other', tolerationSeconds: 60 })], [taint()], {
    deleted: ['pod'],
  }),
  meets('row-032 forever', [forever], [taint()], untouched),
  meets('row-033 forever-many', [toleration({ tolerationSeconds: 60 }), forever], [taint()], untouched),
  meets('row-034 partial-toleration', [forever], [taint(), taint({ key: 'example.com/second' })], { deleted: ['pod'] }),
  history('row-035 many-taints', {
    steps: [
      {
        events: [
          put(taintedSlice([taint({ key: 'k1' }), taint({ key: 'k2' })])),
          put(rule({ name: 'a', taint: taint({ key: 'k3' }) })),
          put(rule({ name: 'b', taint: taint({ key: 'k3' }) })),
          put(
            claim(
              tolerating(
                toleration({ key: 'k1', tolerationSeconds: 60 }),
                toleration({ key: 'k2', tolerationSeconds: 30 }),
                toleration({ key: 'k3', tolerationSeconds: 60 }),
              ),
            ),
          ),
          put(pod()),
        ],
        expect: {
          planned: { pod: 30 },
          reasons: { pod: ['rule a', 'rule b', 'slice slice instance/0', 'slice slice instance/1'] },
        },
      },
      {
        advance: 40,
        expect: {
          deleted: ['pod'],
          conditions: {
            a: 'False Completed: 1 pod evicted since starting the controller.',
            b: 'False Completed: 1 pod evicted since starting the controller.',
          },
        },
      },
    ],
  }),
  meets('row-045 none-effect', [], [taint({ effect: 'None' }), taint({ key: 'k2', effect: 'None' })], untouched),
  meets('row-046 unknown-effect', [], [taint({ effect: 'unknown-effect' })], untouched),
  history('row-047 change-taint', {
    given: [taintedSlice(), claim(tolerating(toleration({ tolerationSeconds: 3600 }))), pod()],
    steps: [
      { expect: { planned: { pod: 3600 } } },
      { events: [put(taintedSlice([taint({ value: 'worse' })]))], expect: { deleted: ['pod'] } },
    ],
  }),
  matches('row-065 exists-no-value', { ...foo, operator: 'Exists' }, {}, true),
  matches('row-066 exists-any-value', { ...foo, operator: 'Exists' }, { value: 'bar' }, true),
  matches('row-067 empty-key-exists', { key: '', operator: 'Exists', effect: 'NoSchedule' }, { value: 'bar' }, true),
  matches('row-068 equal-same', { ...foo, operator: 'Equal', value: 'bar' }, { value: 'bar' }, true),
  matches('row-069 equal-differs', { ...foo, operator: 'Equal', value: 'value1' }, { value: 'value2' }, false),
  matches(
    'row-070 effect-differs',
    { ...foo, operator: 'Equal', value: 'bar' },
    { value: 'bar', effect: 'NoExecute' },
    false,
  ),
  matches(
    'row-071 empty-effect-eviction, for the scheduler',
    { key: 'foo', operator: 'Exists', effect: '' },
    { effect: 'NoExecute' },
    true,
  ),
  meets('row-071 empty-effect-eviction', [{ operator: 'Exists', effect: '' }], [taint()], { deleted: ['pod'] }),
  history('row-071 empty-effect-eviction, with the setting that honours it', {
    settings: { emptyEffectTolerates: true },
    steps: [
      {
        events: [put(taintedSlice()), put(claim(tolerating({ operator: 'Exists', effect: '' }))), put(pod())],
        expect: untouched,
      },
    ],
  }),
  matches('row-072 empty-toleration, taint without value', {}, {}, true),
  matches('row-072 empty-toleration, taint with value', {}, { value: 'bar' }, false),
  matches('row-073 unknown-operator', { operator: 'Gt' }, {}, false),
  meets('row-073 unknown-operator, in an eviction', [toleration({ operator: 'Gt' })], [taint()], { deleted: ['pod'] }),
  meets('row-074 seconds-zero', [toleration({ tolerationSeconds: 0 })], [taint()], { deleted: ['pod'] }),
  meets('row-074 seconds-negative', [toleration({ tolerationSeconds: -5 })], [taint()], { deleted: ['pod'] }),
  history('row-075 future-time', {
    steps: [
      {
        events: [put(rule({ taint: taint({ timeAdded: atSecond(300) }) })), put(claim()), put(pod())],
        expect: {
          planned: { pod: 300 },
          conditions: { rule: 'True PodsPendingEviction: 1 pod needs to be evicted in 1 namespace.' },
        },
      },
      { advance: 299, expect: { planned: { pod: 300 } } },
      { advance: 1, expect: { deleted: ['pod'] } },
    ],
  }),
  history('row-076 late-claim', {
    given: [rule({ taint: taint({ timeAdded: atSecond(-3600) }) }), pod()],
    steps: [
      {
        events: [put(claim(tolerating(toleration({ tolerationSeconds: 60 }))))],
        expect: { deleted: ['pod'] },
      },
    ],
  }),
  meets('bad-input no-time-added', [], [{ key: 'k', effect: 'NoExecute' }], { unknown: ['pod'], idle: true }),
  meets('bad-input seconds-beyond-int64', [toleration({ tolerationSeconds: 2 ** 53 })], [taint()], {
    planned: { pod: (8_640_000_000_000_000 - atSecond(0)) / 1000 },
  }),
];
