// Rows 55, 59, 61 to 64, 84 to 88: the calls for one pod, and what the API server may answer.
import {
  atSecond,
  claim,
  pod,
  rule,
  slice,
  taintedSlice,
  tolerating,
  toleration,
  unallocated,
} from '../../support/builders.ts';
import { history, put, remove } from '../scenario.ts';

const waiting = claim(tolerating(toleration({ tolerationSeconds: 60 })));
const delayed = [taintedSlice(), waiting, pod()];
const planned = { expect: { planned: { pod: 60 } } };
const calls = ['PATCH pod', 'DELETE pod'];
const once = { deleted: ['pod'], calls, durations: [0], idle: true } as const;
const forbidden = { kind: 'Refused', why: 'pods/status is forbidden' } as const;
const terminating = pod({ deletionTimestamp: atSecond(-5) });
const counted = { rule: 'False Completed: 1 pod evicted since starting the controller.' };
const notStarted = { rule: 'False NotStarted: ' };

export const executing = [
  history('row-055 initial', { given: [taintedSlice(), claim(), pod()], steps: [{ expect: once }] }),
  history('row-055 add', {
    steps: [{ events: [put(taintedSlice()), put(claim()), put(pod())], expect: once }],
  }),
  history('row-055 update', {
    given: [slice(), unallocated(claim()), pod({ nodeName: '' })],
    steps: [{ events: [put(taintedSlice()), put(claim()), put(pod())], expect: once }],
  }),
  history('row-059 dry-run-slow-delete', {
    given: delayed,
    steps: [planned, { advance: 60, deleteTakes: 3000, expect: { deleted: ['pod'], durations: [3000] } }],
  }),
  history('row-061 cancel-by-pod-delete', {
    given: delayed,
    steps: [planned, { events: [remove(pod())], advance: 60, expect: { calls: [], durations: [], idle: true } }],
  }),
  history('row-062 cancel-by-slice-delete', {
    given: delayed,
    steps: [
      planned,
      { events: [remove(taintedSlice())], advance: 60, expect: { cancelled: 1, calls: [], idle: true } },
    ],
  }),
  history('row-063 parallel-deletion', {
    given: [claim(), pod()],
    steps: [
      { events: [put(taintedSlice())], unseen: [remove(pod())], expect: { calls: ['PATCH pod'], durations: [] } },
      { advance: 120, expect: { calls: ['PATCH pod'], durations: [], idle: true } },
    ],
  }),
  history('row-064 retry', {
    given: [claim(), pod()],
    steps: [
      {
        events: [put(taintedSlice())],
        failures: [{ kind: 'RetryLater', after: 5, why: '500' }],
        advance: 1,
        expect: { deleted: ['pod'], marked: 1, calls: ['PATCH pod', ...calls], durations: [5] },
      },
    ],
  }),
  history('row-064 retry, of the DELETE', {
    given: [claim(), pod()],
    steps: [
      { events: [put(slice())], expect: {} },
      {
        events: [put(taintedSlice())],
        failures: [
          { kind: 'RetryLater', after: 5, why: '500' },
          { kind: 'RetryLater', after: 10, why: '429' },
        ],
        advance: 1,
        expect: { deleted: ['pod'], marked: 1, durations: [15] },
      },
    ],
  }),
  history('row-084 restart-pending', {
    given: [taintedSlice(), claim(tolerating(toleration({ tolerationSeconds: 3600 }))), pod()],
    steps: [
      { advance: 600, expect: { planned: { pod: 3600 } } },
      { relist: true, expect: { planned: { pod: 3600 } } },
      { advance: 3000, expect: { deleted: ['pod'], calls } },
    ],
  }),
  history('row-085 terminating-pod', {
    steps: [
      {
        events: [put(rule()), put(claim()), put(terminating)],
        expect: { calls: [], conditions: notStarted, idle: true },
      },
    ],
  }),
  history('row-085 terminating-pod, not yet told by the watch', {
    given: [claim(), pod()],
    steps: [
      { events: [put(rule())], unseen: [put(terminating)], expect: { calls: ['PATCH pod'] } },
      { advance: 60, expect: { calls: ['PATCH pod'], conditions: counted, idle: true } },
    ],
  }),
  history('row-086 uid-conflict', {
    given: [claim(), pod()],
    steps: [
      {
        events: [put(rule())],
        afterMark: [remove(pod()), put(pod({ uid: 'successor' }))],
        expect: { calls },
      },
      { advance: 60, expect: { calls, conditions: notStarted, idle: true } },
    ],
  }),
  history('row-087 patch-forbidden', {
    given: [claim(), pod()],
    steps: [
      { events: [put(rule())], failures: [forbidden], expect: { planned: { pod: 0 }, calls: ['PATCH pod'] } },
      { failures: [forbidden], advance: 60, expect: { planned: { pod: 0 }, calls: ['PATCH pod', 'PATCH pod'] } },
      { advance: 60, expect: { deleted: ['pod'] } },
    ],
  }),
  history('row-088 condition-present', {
    given: [claim(), pod()],
    steps: [
      {
        events: [put(taintedSlice())],
        failures: [],
        expect: { deleted: ['pod'], calls, marked: 1 },
      },
    ],
  }),
  history('finalizer deleted-once', {
    given: [claim(), pod()],
    finalized: ['pod'],
    steps: [
      { events: [put(rule())], expect: { deleted: ['pod'], calls } },
      {
        relist: true,
        advance: 10,
        expect: {
          deleted: ['pod'],
          calls,
          conditions: { rule: 'False Completed: 1 pod evicted since starting the controller.' },
        },
      },
      { events: [remove(rule())], expect: { deleted: ['pod'], calls, idle: true } },
    ],
  }),
];
