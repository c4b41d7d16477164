// The ports to one API server, loaded per stage.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { createClaimConsumers } from '../adapters/kubernetes/claimConsumers.ts';
import { createDisruptionBudgets } from '../adapters/kubernetes/disruptionBudgets.ts';
import { createEventRecorder } from '../adapters/kubernetes/eventRecorder.ts';
import { createLiveCluster } from '../adapters/kubernetes/liveCluster.ts';
import { createPodEvictor } from '../adapters/kubernetes/podEvictor.ts';
import { createPolicies } from '../adapters/kubernetes/policies.ts';
import { createProjections } from '../adapters/kubernetes/projections.ts';
import { createRuleStatus } from '../adapters/kubernetes/rules.ts';
import { createTaintSlices } from '../adapters/kubernetes/taintSlices.ts';
import { createSharedReads } from '../adapters/sharedReads.ts';
import type { ClusterAccess, EvictionAccess, StepDependencies } from '../steps/step.ts';

export type AccessThrough<Access> = (client: ApiClient, by: Pick<StepDependencies, 'clock' | 'log'>) => Access;

export const evictionAccess: AccessThrough<EvictionAccess> = (client, { clock, log }) => ({
  evictor: createPodEvictor(client, clock.now),
  live: createLiveCluster(client),
  shared: createSharedReads(clock.now),
  events: createEventRecorder(client, log),
});

export const accessThrough: AccessThrough<ClusterAccess> = (client, by) => ({
  ...evictionAccess(client, by),
  ruleStatus: createRuleStatus(client),
  taintSlices: createTaintSlices(client),
  projections: createProjections(client),
  policies: createPolicies(client),
  budgets: createDisruptionBudgets(client),
  consumers: createClaimConsumers(client),
});
