// The live plan of a rule names what the rule evicts once its effect is NoExecute.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, isCounted } from '../../lib/decide/evaluate.ts';
import { actingRule, planOnePod, planRule } from '../../lib/decide/livePlan.ts';
import { summarize } from '../../lib/decide/planReport.ts';
import { nothingPlanned, summaryOf, tallyPlan } from '../../lib/decide/planTally.ts';
import { snapshotOf } from '../../lib/model/snapshot.ts';
import { worlds } from '../support/arbitraries.ts';
import { t0 } from '../support/builders.ts';

describe('a live plan', () => {
  it('a live plan names exactly the pods that the rule evicts once its effect is NoExecute', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotOf(world);
        for (const rule of snapshot.rules) {
          const asking = { ...rule, taint: { ...rule.taint, effect: 'None' } };
          const plan = planRule([asking], snapshot, t0);
          const acting = actingRule(asking, t0);
          const others = snapshot.rules.filter((one) => one.uid !== rule.uid);
          const verdicts = evaluate({ ...snapshot, rules: [...others, acting] });
          const evicted = snapshot.pods.filter((pod) => {
            const verdict = verdicts.get(pod.uid);
            if (!isCounted(pod) || verdict?.kind !== 'EvictAt') return false;
            return verdict.because.some(({ origin }) => origin.kind === 'Rule' && origin.uid === rule.uid);
          });
          const uids = (pods: readonly { uid: string }[]) => pods.map(({ uid }) => uid).sort();
          expect(uids(plan.pods.map(({ pod }) => pod))).toEqual(uids(evicted));
        }
      }),
    );
  });

  it('a live plan has the same figures when pods are counted at once or page by page', () => {
    fc.assert(
      fc.property(worlds, fc.integer({ min: 1, max: 3 }), (world, size) => {
        const snapshot = snapshotOf(world);
        for (const rule of snapshot.rules) {
          const whole = planRule([rule], snapshot, t0);
          let tally = nothingPlanned;
          for (let i = 0; i < snapshot.pods.length; i += size) {
            const pods = snapshot.pods.slice(i, i + size);
            const found = pods.flatMap((pod) => planOnePod([rule], pod, { snapshot, now: t0 }) ?? []);
            const planned = found.filter((one) => one.kind === 'Planned');
            const budgeted = planned.map((one) => ({ ...one.planned, headroom: { kind: 'None' } as const }));
            const page = planned.flatMap((one, at) => (budgeted[at] ? [{ ...one, budgeted: budgeted[at] }] : []));
            tally = tallyPlan(tally, { found: page, undecided: found.length - planned.length });
          }
          const budgeted = whole.pods.map((one) => ({ ...one, headroom: { kind: 'None' } as const }));
          expect(summaryOf(tally, { taints: [rule], free: whole.free, now: t0 })).toEqual(summarize(whole, budgeted));
          expect(tally.first).toEqual(budgeted.slice(0, 10));
        }
      }),
    );
  });

  it('a live plan of one pod equals its entry in the plan of all pods', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotOf(world);
        for (const rule of snapshot.rules) {
          const listed = planRule([rule], snapshot, t0).pods;
          const found = snapshot.pods.map((pod) => planOnePod([rule], pod, { snapshot, now: t0 }));
          const alone = found.flatMap((one) => (one?.kind === 'Planned' ? [one.planned] : []));
          expect(new Set(alone)).toEqual(new Set(listed));
        }
      }),
    );
  });
});
