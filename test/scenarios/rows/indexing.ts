// Rows 1 to 6: what is known about pools and claims before any pod exists.
import { claim, pod, rule, slice, taintedSlice } from '../../support/builders.ts';
import { history, put, remove } from '../scenario.ts';

const otherSlice = slice({ name: 'other', pool: { name: 'other', generation: 1 } });

export const indexing = [
  history('row-001 populate-pools', {
    steps: [
      {
        events: [put(slice()), put(otherSlice)],
        expect: { pools: ['some-driver|other@1', 'some-driver|worker@1'], idle: true },
      },
    ],
  }),
  history('row-002 update-pools', {
    given: [taintedSlice(), otherSlice],
    steps: [{ events: [put(slice()), remove(otherSlice)], expect: { pools: ['some-driver|worker@1'], idle: true } }],
  }),
  history('row-003 untainted-claim', {
    steps: [
      { events: [put(slice()), put(claim())], expect: { idle: true } },
      { events: [put(pod())], expect: { idle: true } },
    ],
  }),
  history('row-004 tainted-claim-slice', {
    steps: [
      { events: [put(taintedSlice()), put(claim())], expect: { idle: true } },
      {
        events: [put(pod())],
        held: true,
        expect: { planned: { pod: 0 }, reasons: { pod: ['slice slice instance/0'] } },
      },
    ],
  }),
  history('row-005 rule-status', {
    steps: [{ events: [put(rule())], expect: { conditions: { rule: 'False NotStarted: ' }, idle: true } }],
  }),
  history('row-006 tainted-claim-rule', {
    steps: [
      { events: [put(rule()), put(claim())], expect: { conditions: { rule: 'False NotStarted: ' }, idle: true } },
      { events: [put(pod())], held: true, expect: { planned: { pod: 0 }, reasons: { pod: ['rule rule'] } } },
    ],
  }),
];
