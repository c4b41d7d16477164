// Reads the facts that gates decide on for one limiter; facts about the cluster are read once for all its limiters.
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

/** A pause must take effect within one second, including a DELETE under way. */
const clusterFactsAge: Milliseconds = 250;

/** `at`: when the oldest of the shared facts was read. */
export async function readLimiterFacts(
  deps: StepDependencies,
  state: State,
  by: {
    readonly limiter: LimiterId;
    readonly ruleSet: RuleSet & { readonly modes?: StoredModes };
    /** The approval, if the caller knows it; if absent, it is read. */
    readonly approval?: Hold | 'NotNeeded';
    /** Maximum age of the facts that all limiters of a cluster share. */
    readonly maxAge?: Milliseconds;
    /** These facts, if the caller has read them; if absent, they are read. */
    readonly shared?: ClusterFacts;
    /** The result is shown to an operator, so pending pods are counted, which reads all pages of the limiter's list. */
    readonly isShown?: true;
  },
): Promise<{ readonly facts: LimiterFacts; readonly at: Instant }> {
  const { limiter, ruleSet } = by;
  const now = deps.clock.now();
  const [shared, canary, approval] = await Promise.all([
    by.shared ?? readClusterFacts(deps, state, by.maxAge),
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

/** The facts that all limiters of a cluster share. `at`: when they were read. */
export interface ClusterFacts {
  readonly value: Pick<LimiterFacts, 'isWatched' | 'pauses'>;
  readonly at: Instant;
}

export function readClusterFacts(
  deps: Pick<StepDependencies, 'clock' | 'memory'>,
  state: State,
  maxAge: Milliseconds = clusterFactsAge,
): Promise<ClusterFacts> {
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
  // The number of pending pods is shown only while no permit is free.
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
