// Explains what holds a pending pod, by evaluating every gate at each of its limiters.
import { policyOf, type RuleSet } from '../decide/rate.ts';
import type { Because, PodFacts } from '../gates/gate.ts';
import { askedOf, keepers, scopeKey } from '../gates/index.ts';
import type { Ledger, LimiterId } from '../model/eviction.ts';
import type { Pod } from '../model/objects.ts';
import { ruleLimiter, ruleRef, type TaintRule } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { currentRuleSet } from '../state/currentRules.ts';
import { readInFlight } from '../state/inFlightRows.ts';
import { countListed } from '../state/listedCounts.ts';
import { isWatched } from '../state/liveness.ts';
import { readPauses } from '../state/pauseRows.ts';
import type { State } from '../state/state.ts';
import { readStandingStops } from '../state/stopRows.ts';
import { gateFactsOf } from './gateFacts.ts';
import { readSeats } from './limiterCanary.ts';
import { readUnapproved } from './unapproved.ts';

/** Reasons that are shown elsewhere with the pod. */
const ownLines: ReadonlySet<Because['reason']> = new Set(['NotDue', 'BudgetExhausted', 'Looping']);

/** Sentences without duplicates. */
export async function readHeld(
  state: State,
  { object, ledger, now }: { readonly object: Pod; readonly ledger: Ledger; readonly now: Instant },
): Promise<readonly string[]> {
  const [ruleSet, pauses, heard, stop] = await Promise.all([
    currentRuleSet(state),
    readPauses(state),
    isWatched(state, now),
    readStandingStops(state, now),
  ]);
  const cluster = { pauses, isWatched: heard, stop: stop?.why };
  const held = await Promise.all(
    ledger.listings.map(async ({ limiter }) => {
      const rule = ruleSet.rules.find((one) => limiter === ruleLimiter(one));
      const facts = gateFactsOf({ ...(await readAt(state, { limiter, ruleSet, rule })), cluster }, now);
      const pod = { pod: object, ledger };
      const inFlight = await readInFlight(state, askedOf(pod, facts).scopes);
      const known = new Map(inFlight.map((one) => [scopeKey(one.scope), one.pods.map((other) => other.pod)]));
      const podFacts: PodFacts = {
        ...pod,
        namespace: ruleSet.namespaces.get(object.namespace),
        inFlight: (scope) => known.get(scopeKey(scope)) ?? [],
        rounds: [],
      };
      const kept = keepers(podFacts, facts).filter(({ reason }) => !ownLines.has(reason));
      return [...kept.map((because) => sentence(because, rule)), ...leftBy(rule)];
    }),
  );
  return [...new Set(held.flat())];
}

async function readAt(
  state: State,
  {
    limiter,
    ruleSet,
    rule,
  }: { readonly limiter: LimiterId; readonly ruleSet: RuleSet; readonly rule: TaintRule | undefined },
): Promise<Parameters<typeof gateFactsOf>[0]> {
  const [seats, unapproved] = await Promise.all([
    readSeats(state, { limiter, ruleSet }),
    readUnapproved(state, limiter, policyOf(limiter, ruleSet)),
  ]);
  // Only the canary gate reports the number of listed pods.
  const listed = { length: seats ? (await countListed(state, [limiter])).pods : 0 };
  return {
    limiter,
    listed,
    policies: ruleSet.policies ?? [],
    ...(rule ? { rule } : {}),
    ...(seats ? { seats } : {}),
    ...(unapproved === undefined ? {} : { unapproved }),
  };
}

/** Prefixes a message about a rule with the rule's name. */
function sentence({ of, message }: Because, rule: TaintRule | undefined): string {
  return of === 'Rule' && rule ? `${rule.kind} ${rule.name}: ${message}` : message;
}

/** The holding policy was deleted while pods were pending. */
function leftBy(rule: TaintRule | undefined): readonly string[] {
  return rule?.policyGone === undefined
    ? []
    : [
        `EvictionPolicy ${rule.policyGone} was deleted while pods waited under it; an approval of the plan of ${ruleRef(rule)} counts as of then.`,
      ];
}
