// Evictions parsed from Events have the reasons that the Events were written with.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evictionOf } from '../../../lib/commands/top/evictionEvents.ts';
import { formatEviction } from '../../../lib/decide/eventText.ts';
import { originKey, type Reason } from '../../../lib/model/verdict.ts';

const at = Date.UTC(2026, 0, 1);
const pod = { namespace: 'a', name: 'p', uid: 'u' };
const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
const domain = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));

const reasons: fc.Arbitrary<Reason> = fc
  .record({
    rule: fc.boolean(),
    paced: fc.boolean(),
    name: domain,
    key: fc.tuple(domain, name).map((parts) => parts.join('/')),
    value: fc.oneof(fc.constant(''), name),
    description: fc.option(fc.stringMatching(/^[a-z]+([ ;:"/()]?[a-z]){0,12}$/), { nil: undefined }),
    driver: domain,
    pool: fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
    device: name,
  })
  .map((one) => ({
    origin: one.rule
      ? {
          kind: 'Rule',
          ...(one.paced ? { ruleKind: 'PacedTaintRule' as const } : {}),
          name: one.name,
          uid: '',
          generation: 0,
        }
      : { kind: 'Slice', ...(one.paced ? { sliceKind: 'DeviceTaintSlice' as const } : {}), name: one.name, index: 0 },
    taint: {
      key: one.key,
      value: one.value,
      effect: 'NoExecute',
      ...(one.description === undefined ? {} : { description: one.description }),
    },
    device: { driver: one.driver, pool: one.pool, device: one.device },
    claim: { namespace: 'a', name: '' },
    at,
  }));

function eventOf(because: readonly Reason[]) {
  const { reason, message } = formatEviction({ pod, ledger: { because }, at });
  const lastTimestamp = new Date(at).toISOString();
  return { reason, message, lastTimestamp, reportingComponent: 'sluice', involvedObject: pod };
}

it('the reasons parsed from an Event are those that it was formatted with', () => {
  fc.assert(
    fc.property(fc.uniqueArray(reasons, { minLength: 1, maxLength: 3, selector: originKey }), (because) => {
      const [first] = because as [Reason];
      expect(evictionOf(eventOf(because), [])).toEqual({
        pod,
        at,
        outcome: 'Evicted',
        because,
        limiter: originKey(first),
      });
    }),
  );
});

it.each([
  ['with another reason', { reason: 'Killing' }],
  ['from another component', { reportingComponent: 'device-taint-eviction' }],
  ['about a cancelled eviction', { message: 'Cancelling deletion' }],
  ['without a valid time', { lastTimestamp: 'yesterday' }],
])('an Event %s is not read as an eviction', (_, change) => {
  expect(evictionOf({ ...eventOf([]), ...change }, [])).toBeUndefined();
});
