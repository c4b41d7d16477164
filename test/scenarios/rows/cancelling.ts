// Rows 22, 24, 43, 44, 48 to 50, 53, 54, 56, 91, 94: whether the reason of an eviction disappears.
import {
  claim,
  pod,
  reservedFor,
  slice,
  taint,
  taintedSlice,
  tolerating,
  toleration,
  unallocated,
} from '../../support/builders.ts';
import { history, put, remove } from '../scenario.ts';

/** Planned for a minute after the taint. */
const waiting = claim(tolerating(toleration({ tolerationSeconds: 60 })));
const given = [taintedSlice(), waiting, pod()];
const planned = { expect: { planned: { pod: 60 } } };
const cancelled = { cancelled: 1, idle: true } as const;
const successor = slice({ name: 'successor', pool: { name: 'worker', generation: 2 } });
const half = slice({ name: 'half', devices: [{ name: 'other' }] });

export const cancelling = [
  history('row-022 evict-again', {
    given,
    steps: [
      planned,
      {
        events: [remove(taintedSlice()), put({ ...taintedSlice(), uid: 'again' })],
        expect: { planned: { pod: 60 }, cancelled: 1 },
      },
      { advance: 60, expect: { deleted: ['pod'], cancelled: 1 } },
    ],
  }),
  history('row-024 unrelated-changes', {
    given,
    steps: [
      planned,
      {
        events: [
          put({ ...taintedSlice(), devices: [...taintedSlice().devices, { name: 'another' }] }),
          put(waiting),
          put(pod()),
        ],
        expect: { planned: { pod: 60 } },
      },
      { advance: 60, expect: { deleted: ['pod'], calls: ['PATCH pod', 'DELETE pod'] } },
    ],
  }),
  history('row-043 remove-taint', { given, steps: [planned, { events: [put(slice())], expect: cancelled }] }),
  history('row-044 reduce-taint', {
    given,
    steps: [planned, { events: [put(taintedSlice([taint({ effect: 'NoSchedule' })]))], expect: cancelled }],
  }),
  history('row-048 new-generation', {
    given,
    steps: [planned, { events: [remove(taintedSlice()), put(successor)], expect: cancelled }],
  }),
  history('row-049 remove-slice', { given, steps: [planned, { events: [remove(taintedSlice())], expect: cancelled }] }),
  history('row-050 pod-deleted', { given, steps: [planned, { events: [remove(pod())], expect: { idle: true } }] }),
  history('row-053 deallocated', {
    given,
    steps: [planned, { events: [put(unallocated(waiting))], expect: cancelled }],
  }),
  history('row-054 claim-deleted', { given, steps: [planned, { events: [remove(waiting)], expect: cancelled }] }),
  history('row-056 shadowed', {
    given: [taintedSlice(), successor, unallocated(claim()), pod()],
    steps: [
      { expect: { idle: true } },
      {
        events: [remove(successor), remove(unallocated(claim())), put(claim({ uid: 'recreated' }))],
        expect: { deleted: ['pod'] },
      },
    ],
  }),
  history('row-091 reservation-removed', {
    given,
    steps: [planned, { events: [put({ ...waiting, ...reservedFor() })], expect: cancelled }],
  }),
  history('row-094 partial-generation', {
    given: [...given, half],
    steps: [
      planned,
      { events: [put({ ...half, pool: { name: 'worker', generation: 2 } })], expect: cancelled },
      {
        events: [put(taintedSlice([taint()], { pool: { name: 'worker', generation: 2 } }))],
        expect: { cancelled: 1, planned: { pod: 60 } },
      },
    ],
  }),
];
