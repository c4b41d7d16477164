// What policies keep a waiting pod for: their pauses and windows, their canaries, and evictions in flight beside it.
import { canaryHold, canaryState } from '../decide/canary.ts';
import { epochsOf } from '../decide/epoch.ts';
import { scopesOf } from '../decide/inFlight.ts';
import { policyHold } from '../decide/policy.ts';
import { desertedKey, policyGoneFor } from '../decide/policyGone.ts';
import { policyOf, type RuleSet } from '../decide/rate.ts';
import type { Ledger, LimiterId } from '../model/eviction.ts';
import type { Pod } from '../model/objects.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { ruleLimiter } from '../model/rule.ts';
import type { Instant } from '../model/time.ts';
import { readCanary } from '../state/canaryRows.ts';
import { readInFlight } from '../state/flightRows.ts';
import { readListed } from '../state/limiterRows.ts';
import { currentRuleSet } from '../state/neighbourhood.ts';
import type { State } from '../state/state.ts';
import { readUnapproved } from './unapproved.ts';

/** Sentences, each once. */
export async function readPolicyHolds(
  state: State,
  { object, ledger }: { readonly object: Pod; readonly ledger: Ledger },
  now: Instant,
): Promise<readonly string[]> {
  const ruleSet = await currentRuleSet(state);
  const held = await Promise.all(
    ledger.listings.map(async ({ limiter }) => [
      ...(await holdAt(state, { limiter, ruleSet, now })),
      ...(await delaysAt(state, object, policyOf(limiter, ruleSet))),
    ]),
  );
  return [...new Set(held.flat())];
}

/** Evictions that this one waits for. How many a percentage lets go is not counted here. */
async function delaysAt(state: State, pod: Pod, policy: EvictionPolicy | undefined): Promise<readonly string[]> {
  const scopes = scopesOf(pod, policy?.limits);
  const delays = await Promise.all(
    scopes.map(async (scope) => {
      const { seats, inFlight } = await readInFlight(state, scope);
      const { kind, of, atOnce } = scope;
      if (inFlight.size < ('count' in atOnce ? atOnce.count : 1)) return [];
      const pods = seats.filter(({ uid }) => inFlight.has(uid)).map((one) => one.pod);
      const most = 'count' in atOnce ? `${atOnce.count}` : `${atOnce.percent}%`;
      const where = kind === 'Node' ? `node ${of}` : `controller ${of}`;
      return [
        `EvictionPolicy ${policy?.name} lets ${most} of ${where} go at once, and these are not gone yet: ${pods.join(', ')}.`,
      ];
    }),
  );
  return delays.flat();
}

/** Under a policy that was deleted while pods waited. */
function leftAt(limiter: LimiterId, { rules, policies = [] }: RuleSet): readonly string[] {
  const rule = rules.find((one) => limiter === ruleLimiter(one));
  if (rule?.policyGone !== undefined)
    return [
      `EvictionPolicy ${rule.policyGone} was deleted while pods waited under it; an approval of the rule's plan counts as of then.`,
    ];
  const name = rule ? undefined : policyGoneFor(desertedKey(limiter), policies);
  return name === undefined
    ? []
    : [`EvictionPolicy ${name} was deleted while pods waited under it; apply one that selects the taint.`];
}

async function holdAt(
  state: State,
  { limiter, ruleSet, now }: { readonly limiter: LimiterId; readonly ruleSet: RuleSet; readonly now: Instant },
): Promise<readonly string[]> {
  const policy = policyOf(limiter, ruleSet);
  if (!policy) return leftAt(limiter, ruleSet);
  const hold = policyHold(policy, now);
  if (hold) return [hold.message];
  const unapproved = await readUnapproved(state, limiter, policy);
  if (unapproved !== undefined) return [`${unapproved}.`];
  if (!policy.canary) return [];
  const [seats, listed] = await Promise.all([
    readCanary(state, { limiter, epoch: epochsOf(ruleSet.rules)(limiter) }),
    readListed(state, limiter),
  ]);
  const going = seats.filter(({ deletedAt }) => deletedAt === undefined).length;
  const kept = canaryHold(policy, canaryState(policy.canary, seats, now), listed.length - going);
  return kept ? [kept.message] : [];
}
