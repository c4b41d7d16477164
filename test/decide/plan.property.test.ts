// Properties of ledgers and conditions over random histories in any order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ruleCondition } from '../../lib/decide/condition.ts';
import { evaluate, evaluatePod, isCounted } from '../../lib/decide/evaluate.ts';
import { planLedger } from '../../lib/decide/plan.ts';
import type { EvictionState, Ledger } from '../../lib/model/eviction.ts';
import { nameKey } from '../../lib/model/identity.ts';
import { snapshotOf } from '../../lib/model/snapshot.ts';
import type { RuleCondition } from '../../lib/model/status.ts';
import { Driver } from '../scenarios/driver.ts';
import { histories, settings, worlds } from '../support/arbitraries.ts';
import { t0 } from '../support/builders.ts';

const runs = { numRuns: 300 };

/** A history, and the same changes twice and in another order. */
const told = histories.chain((history) =>
  fc.tuple(
    fc.constant(history),
    fc.shuffledSubarray([...history, ...history], { minLength: history.length * 2 }),
    settings,
  ),
);

function openPods(driver: Driver): readonly string[] {
  return [...driver.ledgers]
    .filter(([, ledger]) => ledger.state === 'Pending')
    .map(([key, ledger]) => `${key} ${ledger.podUid}`)
    .sort();
}

describe('changes in any order, any number of times', () => {
  it('changes in any order lead to the same verdicts and pending pods', () => {
    fc.assert(
      fc.property(told, ([history, again, chosen]) => {
        const [one, other] = [new Driver(chosen), new Driver(chosen)];
        for (const event of history) one.tell(event);
        for (const event of again) other.tell(event);
        const sorted = (driver: Driver) => new Map([...evaluate(driver.snapshot())].sort());
        expect(sorted(other)).toEqual(sorted(one));
        expect(openPods(other)).toEqual(openPods(one));
      }),
      runs,
    );
  });

  it('changes in any order leave exactly the pods pending that a new evaluation evicts', () => {
    fc.assert(
      fc.property(told, ([, again, chosen]) => {
        const driver = new Driver(chosen);
        for (const event of again) driver.tell(event);
        const snapshot = driver.snapshot();
        const expected = snapshot.pods
          .filter((pod) => isCounted(pod) && evaluatePod(pod, snapshot).kind === 'EvictAt')
          .map((pod) => `Pod/${nameKey(pod)} ${pod.uid}`);
        expect(openPods(driver)).toEqual(expected.sort());
      }),
      runs,
    );
  });

  it('changes in any order delete exactly the pods that are due, each once', () => {
    fc.assert(
      fc.property(told, fc.integer({ min: 0, max: 900 }), ([history, again, chosen], seconds) => {
        const driver = new Driver(chosen);
        for (const event of history) driver.api.happen(event);
        for (const event of again) driver.tell(event);
        const until = t0 + seconds * 1000;
        const verdicts = evaluate(driver.snapshot());
        const due = driver
          .snapshot()
          .pods.filter((pod) => {
            const verdict = verdicts.get(pod.uid);
            return verdict?.kind === 'EvictAt' && verdict.at <= until && isCounted(pod);
          })
          .map((pod) => pod.name);
        driver.settle(until);
        expect(driver.api.deleted.toSorted()).toEqual(due.sort());
      }),
      runs,
    );
  });
});

describe('a ledger', () => {
  const states = fc.constantFrom<EvictionState>('Pending', 'Deleting', 'Evicted', 'Gone', 'Cancelled');

  function ledgerOf(uid: string, state: EvictionState): Ledger {
    return { podUid: uid, state, listings: [], because: [], order: '' };
  }

  it('a ledger that was planned is unchanged by planning it again at the same instant', () => {
    fc.assert(
      fc.property(worlds, states, fc.boolean(), (world, state, gone) => {
        const snapshot = snapshotOf(world);
        for (const pod of world.pods) {
          const verdict = evaluatePod(pod, snapshot);
          const plan = (ledger: Ledger | undefined) =>
            planLedger({ pod, gone, verdict, ledger, ruleSet: { rules: [] }, now: t0 });
          const first = plan(ledgerOf(pod.uid, state));
          if ('ledger' in first) expect(plan(first.ledger)).toEqual({ kind: 'Unchanged' });
        }
      }),
      runs,
    );
  });

  it('a ledger is opened only by a verdict to evict, at the time of the verdict', () => {
    fc.assert(
      fc.property(worlds, states, (world, state) => {
        const snapshot = snapshotOf(world);
        for (const pod of world.pods) {
          const verdict = evaluatePod(pod, snapshot);
          const ledger = ledgerOf(pod.uid, state);
          const plan = planLedger({
            pod,
            gone: false,
            verdict,
            ledger,
            ruleSet: { rules: [] },
            now: t0,
          });
          if (plan.kind === 'List') {
            expect(verdict.kind).toBe('EvictAt');
            expect(Math.min(...plan.ledger.listings.map((one) => one.dueAt))).toBe(
              verdict.kind === 'EvictAt' && verdict.at,
            );
          }
          if (plan.kind === 'Cancel' || plan.kind === 'Gone') expect(plan.ledger.listings).toEqual([]);
        }
      }),
      runs,
    );
  });
});

function conditionOf(driver: Driver, uid: string): string {
  const { status, message } = driver.conditions.get(uid)?.at(-1) ?? { status: 'none', message: '' };
  return `${status} ${message.replace(/ to be evicted .*| evicted since .*/, '')}`;
}

function expectedCondition(driver: Driver, uid: string): string {
  const isListed = (ledger: Ledger) => ledger.listings.some((listing) => listing.limiter === `rule|${uid}`);
  const isDone = ({ state, because }: Ledger) =>
    state === 'Evicted' && because.some(({ origin }) => origin.kind === 'Rule' && origin.uid === uid);
  const ledgers = [...driver.ledgers.values()];
  const [pending, evicted] = [ledgers.filter(isListed).length, ledgers.filter(isDone).length];
  if (pending > 0) return pending === 1 ? 'True 1 pod needs' : `True ${pending} pods need`;
  return evicted === 0 ? 'False ' : `False ${evicted} pod${evicted === 1 ? '' : 's'}`;
}

describe('a condition', () => {
  const facts = fc.record({
    pods: fc.integer({ min: 0, max: 3 }),
    evicted: fc.integer({ min: 0, max: 3 }),
    generation: fc.integer({ min: 1, max: 2 }),
    passed: fc.integer({ min: 0, max: 15_000 }),
    effect: fc.constantFrom('NoExecute', 'NoSchedule', 'None', 'x'),
  });

  it('a condition changes its time only with its content, within one generation at most every ten seconds', () => {
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 12 }), (sequence) => {
        let now = t0;
        let previous: RuleCondition | undefined;
        for (const { pods, evicted, generation, passed, effect } of sequence) {
          now += passed;
          const plan = ruleCondition({
            rule: {
              kind: 'DeviceTaintRule',
              generation,
              taint: { key: 'k', effect },
            },
            pending: { pods, namespaces: pods },
            evicted,
            preview: { published: pods, allocated: pods, pods, namespaces: pods },
            ...(previous && { previous }),
            now,
          });
          if (plan.kind !== 'Write') continue;
          const { lastTransitionTime: before, ...old } = previous ?? { lastTransitionTime: 0 };
          const { lastTransitionTime, ...content } = plan.condition;
          expect(content).not.toEqual(old);
          expect(lastTransitionTime).toBe(now);
          if (previous?.observedGeneration === generation) expect(now - before).toBeGreaterThanOrEqual(10_000);
          previous = plan.condition;
        }
      }),
      runs,
    );
  });

  it('a condition counts the pending and the evicted pods of the ledgers', () => {
    fc.assert(
      fc.property(histories, settings, (history, chosen) => {
        const driver = new Driver(chosen);
        for (const event of history) driver.api.happen(event);
        for (const event of history) driver.tell(event);
        // Longer than any toleration here, so that the last condition is written as well.
        driver.settle(t0 + 1_300_000);
        const acting = driver.snapshot().rules.filter((one) => one.taint.effect === 'NoExecute');
        expect(acting.map((rule) => conditionOf(driver, rule.uid))).toEqual(
          acting.map((rule) => expectedCondition(driver, rule.uid)),
        );
      }),
      runs,
    );
  });
});
