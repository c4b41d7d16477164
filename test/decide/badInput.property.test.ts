// No object that an API server, a driver or a user can write makes the pure core throw, and an Unknown verdict plans nothing.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { takeTokens } from '../../lib/decide/bucket.ts';
import { ruleCondition } from '../../lib/decide/condition.ts';
import { claimNamesOf } from '../../lib/decide/consume.ts';
import { evaluatePod, preview } from '../../lib/decide/evaluate.ts';
import { formatCancellation, formatClaimProblem, formatEviction } from '../../lib/decide/eventText.ts';
import { isTolerating, taintedDevices } from '../../lib/decide/gauges.ts';
import { planRule } from '../../lib/decide/livePlan.ts';
import { planLedger } from '../../lib/decide/plan.ts';
import { planCondition, summarize, withBudgets } from '../../lib/decide/planReport.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { releaseOf } from '../../lib/decide/release.ts';
import { claimProblems } from '../../lib/decide/reservedFor.ts';
import { snapshotOf } from '../../lib/model/snapshot.ts';
import { worlds } from '../support/arbitraries.ts';
import { t0 } from '../support/builders.ts';

it('any set of objects is evaluated, planned and reported without an exception, and an Unknown verdict plans nothing', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const snapshot = snapshotOf(world);
      taintedDevices(snapshot);
      for (const pod of snapshot.pods) {
        claimNamesOf(pod);
        const verdict = evaluatePod(pod, snapshot);
        const ledger = undefined;
        const plan = planLedger({
          pod,
          gone: false,
          verdict,
          ledger,
          ruleSet: snapshot,
          now: t0,
        });
        if (verdict.kind === 'Unknown') {
          expect(verdict.why).not.toBe('');
          expect(plan).toEqual({ kind: 'Keep' });
        }
        if (plan.kind !== 'List') continue;
        expect(formatEviction({ pod, ledger: plan.ledger, at: t0 }).message.length).toBeLessThanOrEqual(1024);
        expect(formatCancellation({ pod, ledger: plan.ledger, at: t0, attempt: 1 }).name.length).toBeLessThanOrEqual(
          253,
        );
      }
      for (const claim of snapshot.claims.values()) {
        isTolerating(claim);
        releaseOf(claim.reservedFor, new Map());
        for (const why of claimProblems(claim)) {
          expect(formatClaimProblem(claim, why, t0).message.length).toBeLessThanOrEqual(1024);
        }
      }
      for (const rule of snapshot.rules) {
        const { pods, ...plan } = planRule([rule], snapshot, t0);
        planCondition(summarize(plan, withBudgets(pods, new Map())), rule.generation);
        takeTokens({
          bucket: undefined,
          rate: rateOf(`rule|${rule.uid}`, snapshot, t0),
          wanted: 3,
          now: t0,
          ahead: 1000,
        });
        ruleCondition({
          rule,
          pending: { pods: 0, namespaces: 0 },
          evicted: 0,
          preview: preview(rule, snapshot),
          now: t0,
        });
      }
    }),
    { numRuns: 500 },
  );
});
