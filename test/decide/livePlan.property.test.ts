// The plan of a rule that only asks is what the same rule then does when its effect becomes NoExecute.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, isCounted } from '../../lib/decide/evaluate.ts';
import { actingRule, planOnePod, planRule } from '../../lib/decide/livePlan.ts';
import { snapshotOf } from '../../lib/model/snapshot.ts';
import { worlds } from '../support/arbitraries.ts';
import { t0 } from '../support/builders.ts';

describe('a live plan', () => {
  it('names exactly the pods that the rule evicts once its effect is NoExecute', () => {
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

  it('says of one pod, from its neighbourhood, what it says of it among all', () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const snapshot = snapshotOf(world);
        for (const rule of snapshot.rules) {
          const listed = planRule([rule], snapshot, t0).pods;
          const alone = snapshot.pods.flatMap((pod) => planOnePod([rule], pod, { snapshot, now: t0 }) ?? []);
          expect(new Set(alone)).toEqual(new Set(listed));
        }
      }),
    );
  });
});
