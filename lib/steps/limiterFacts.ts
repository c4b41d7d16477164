// What the gates ask about one limiter, read from the table; what clusters share is read once for all their limiters.
import { desertedKey, policyGoneFor } from '../decide/policyGone.ts';
import { policyOf, type RuleSet, rateWritten } from '../decide/rate.ts';
import type { LimiterFacts } from '../gates/gate.ts';
import { sharedRead } from '../memory.ts';
import type { LimiterId } from '../model/eviction.ts';
import type { Hold } from '../model/hold.ts';
import { effectiveModes, type StoredModes } from '../model/ownership.ts';
import { ruleLimiter } from '../model/rule.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { isWatched } from '../state/liveness.ts';
import { readPauses } from '../state/pauseRows.ts';
import type { State } from '../state/state.ts';
import { isUnapproved } from './approval.ts';
import { findCanary, waitingFor } from './canary.ts';
import type { StepDependencies } from './step.ts';

/** A pause has to hold within a second, the DELETE included. */
const clusterFactsAge: Milliseconds = 250;

/** `at`: since when they may have changed. */
export async function readLimiterFacts(
  deps: StepDependencies,
  state: State,
  by: {
    readonly limiter: LimiterId;
    readonly ruleSet: RuleSet & { readonly modes?: StoredModes };
    /** Whose approval is known already; absent: looked for. */
    readonly approval?: Hold | 'NotNeeded';
    /** Of what the limiters of a cluster share. */
    readonly maxAge?: Milliseconds;
    /** People read what the gates say: pods that wait are counted for it, in as many pages as list them. */
    readonly isShown?: true;
  },
): Promise<{ readonly facts: LimiterFacts; readonly at: Instant }> {
  const { limiter, ruleSet } = by;
  const now = deps.clock.now();
  const [shared, canary, approval] = await Promise.all([
    readClusterFacts(deps, state, by.maxAge),
    canaryFacts(deps, state, by),
    by.approval ?? approvalFacts(deps, state, by),
  ]);
  const policy = policyOf(limiter, ruleSet);
  const rule = ruleSet.rules.find((one) => limiter === ruleLimiter(one));
  const policyGone = rule || policy ? undefined : policyGoneFor(desertedKey(limiter), ruleSet.policies ?? []);
  const clusterLimit = deps.limitOf(state.cluster);
  const facts: LimiterFacts = {
    now,
    limiter,
    rate: rateWritten(limiter, ruleSet),
    modes: effectiveModes(deps.modesOf(state.cluster), ruleSet.modes),
    ...shared.value,
    ...(rule ? { rule } : {}),
    ...(policy ? { policy } : {}),
    ...(policyGone === undefined ? {} : { policyGone }),
    ...(canary ? { canary } : {}),
    ...(typeof approval === 'object' ? { approval } : {}),
    ...(clusterLimit === undefined ? {} : { clusterLimit }),
  };
  return { facts, at: shared.at };
}

/** What all limiters of a cluster share. */
export function readClusterFacts(
  deps: Pick<StepDependencies, 'clock' | 'memory'>,
  state: State,
  maxAge: Milliseconds = clusterFactsAge,
): Promise<{ readonly value: Pick<LimiterFacts, 'isWatched' | 'pauses'>; readonly at: Instant }> {
  const now = deps.clock.now();
  const by = { kind: 'cluster facts', key: state.cluster, now, maxAge };
  return sharedRead(deps.memory, by, async () => {
    const [heard, pauses] = await Promise.all([isWatched(state, now), readPauses(state)]);
    return { isWatched: heard, pauses };
  });
}

async function canaryFacts(
  deps: StepDependencies,
  state: State,
  by: { readonly limiter: LimiterId; readonly ruleSet: RuleSet; readonly isShown?: true },
): Promise<LimiterFacts['canary']> {
  const found = await findCanary(deps, state, by);
  if (!found) return undefined;
  const isFree = found.state.kind === 'Running' && found.state.free.length > 0;
  // How many wait is only said where none may go.
  const waiting = by.isShown && !isFree ? await waitingFor(state, by.limiter, found) : 0;
  return { policy: found.policy, state: found.state, waiting };
}

async function approvalFacts(
  deps: StepDependencies,
  state: State,
  by: { readonly limiter: LimiterId; readonly ruleSet: RuleSet },
): Promise<Hold | undefined> {
  if (!(await isUnapproved(deps, state, by))) return undefined;
  return { reason: 'AwaitingApproval', message: 'It waits for a person’s approval.' };
}
