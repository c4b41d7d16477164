// An out-of-bounds value affects the object it is written on and no other: every field, when it is read and when it is decided on.
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from 'vitest';
import { canaryHold, canaryState } from '../../../lib/decide/canary.ts';
import { evaluatePod, preview } from '../../../lib/decide/evaluate.ts';
import { graceFor } from '../../../lib/decide/grace.ts';
import { expiryOf, holdOf } from '../../../lib/decide/hold.ts';
import { planRule } from '../../../lib/decide/livePlan.ts';
import { loopLimitsOf, roundOf } from '../../../lib/decide/loop.ts';
import { describeWay, waysUnder } from '../../../lib/decide/mode.ts';
import { planLedger } from '../../../lib/decide/plan.ts';
import { policyOf, rateOf } from '../../../lib/decide/rate.ts';
import { seenTaints } from '../../../lib/decide/ruleTaints.ts';
import { admit, askedOf, keepers, roomOf } from '../../../lib/gates/index.ts';
import { allOwned } from '../../../lib/model/ownership.ts';
import { ruleLimiter } from '../../../lib/model/rule.ts';
import type { Snapshot } from '../../../lib/model/snapshot.ts';
import { formatInstant } from '../../../lib/model/time.ts';
import { plansAsked } from '../../../lib/steps/movedPlans.ts';
import { hostile, leavesOf, type Manifest, pictureOf, readAll, replaced, sound } from '../../support/hostileWorld.ts';

const now = Date.UTC(2026, 10, 22, 12);

const values: readonly unknown[] = [
  '999999999h999999999h444444444h',
  '999999999h',
  '8785h',
  '',
  '+275760-09-13T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59+23:59',
  '2026-02-31T00:00:00Z',
  '99999999999999999999',
  'x'.repeat(70_000),
  '0 0 30 2 *',
  '\uD800',
  -1,
  0.1,
  1e300,
  2 ** 63,
  -(2 ** 63),
  true,
  [],
  {},
];

/** Everything that the decisions return for a pod and its limiters at `now`. */
function saidOf(snapshot: Snapshot, name: string): unknown {
  const pod = snapshot.pods.find((one) => one.uid === `Pod-${name}`);
  plansAsked(snapshot, now);
  const rules = snapshot.rules.map((rule) => {
    planRule([rule], snapshot, now);
    const said = [preview(rule, snapshot), holdOf(rule, now), rateOf(ruleLimiter(rule), snapshot, now)];
    return { rule: rule.name, said: [...said, formatInstant(expiryOf(rule) ?? 0)] };
  });
  const mine = rules.filter(({ rule }) => rule === name);
  if (!pod) return { mine };
  const verdict = evaluatePod(pod, snapshot);
  const plan = planLedger({ pod, gone: false, verdict, ledger: undefined, ruleSet: snapshot, now });
  if (plan.kind !== 'List') return { mine, plan };
  const gated = plan.ledger.listings.map(({ limiter, dueAt }) => {
    const rule = snapshot.rules.find((one) => ruleLimiter(one) === limiter);
    const policy = policyOf(limiter, snapshot);
    const canary = policy?.canary;
    const seats = [1, 2].map((seat) => ({ seat, uid: 'u', deletedAt: now }));
    const state = canary && canaryState(canary, seats, now);
    const facts = {
      now,
      limiter,
      rate: rateOf(limiter, snapshot, now),
      modes: allOwned,
      isWatched: true,
      pauses: [],
      ...(rule ? { rule } : {}),
      ...(policy ? { policy } : {}),
      ...(policy && state ? { canary: { policy, state, waiting: 3 } } : {}),
    };
    const of = { pod, ledger: plan.ledger, inFlight: () => [], rounds: [] };
    const limits = loopLimitsOf(policy);
    return {
      due: formatInstant(dueAt),
      way: describeWay(waysUnder(pod, snapshot)(limiter)),
      room: roomOf(facts),
      asked: askedOf(of, facts),
      admitted: admit(of, facts),
      keepers: keepers(of, facts),
      hold: policy && state && canaryHold(policy, state, 3),
      grace: graceFor(pod, policy),
      round: limits && roundOf([now - 1, now - 2, now - 3], { limits, createdAt: now, now }),
    };
  });
  return { mine, plan, gated };
}

const untouched = saidOf(pictureOf(readAll([...hostile, ...sound])), 'sound');

it('a pod whose rules and agent are sound is listed for each of them', () => {
  expect(untouched).toMatchObject({ plan: { kind: 'List' } });
  expect((untouched as { gated: readonly unknown[] }).gated).toHaveLength(3);
});

const fields = hostile.flatMap((manifest) =>
  leavesOf(manifest)
    .filter(([first]) => first !== 'kind')
    .map((path) => [`${manifest.kind} ${path.join('.')}`, manifest, path] as const),
);

describe('a value that is out of bounds', () => {
  it.each(fields)(
    'an out-of-bounds value changes nothing for other rules and pods, and can be stored in the table: %s',
    (_, manifest, path) => {
      const others = readAll([...hostile.filter((one) => one !== manifest), ...sound]);
      for (const value of values) {
        const changed: Manifest = replaced(manifest, path, value);
        const objects = readAll([changed]);
        for (const object of objects) {
          marshall(object, { removeUndefinedValues: true });
          if (object.kind === 'PacedTaintRule') seenTaints(object, now);
        }
        const snapshot = pictureOf([...objects, ...others]);
        saidOf(snapshot, 'hostile');
        expect({ value, said: saidOf(snapshot, 'sound') }).toEqual({ value, said: untouched });
      }
    },
  );
});
