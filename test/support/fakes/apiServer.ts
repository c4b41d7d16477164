// Fake of the API server's ports with a model of pods and rules: preconditions, graceful deletion, conditions, Events.

import { createSharedReads } from '../../../lib/adapters/sharedReads.ts';
import { claimNamesOf } from '../../../lib/decide/consume.ts';
import { nameKey, type PodRef, parseNameKey } from '../../../lib/model/identity.ts';
import type { ConsumerState, Pod } from '../../../lib/model/objects.ts';
import type { DisruptionBudget } from '../../../lib/model/plan.ts';
import type { EvictionPolicy } from '../../../lib/model/policy.ts';
import type { ObjectKind, ObjectProjection } from '../../../lib/model/projection.ts';
import { type AnyRule, type ProjectedRule, ruleRef } from '../../../lib/model/rule.ts';
import type { EventToRecord, RuleCondition } from '../../../lib/model/status.ts';
import type { DeviceTaintSlice } from '../../../lib/model/taintSlice.ts';
import type { Instant } from '../../../lib/model/time.ts';
import type { ApiFailure } from '../../../lib/ports.ts';
import type { ClusterAccess } from '../../../lib/steps/step.ts';
import { createFakeLiveCluster, type FakeLiveCluster } from './liveCluster.ts';

export interface FakePod {
  readonly uid: string;
  terminating: boolean;
  /** Requested grace period; absent: that of the pod. */
  gracePeriodSeconds?: number;
  marked: boolean;
}

export interface FakeApiServer extends ClusterAccess {
  readonly live: FakeLiveCluster;
  readonly pods: Map<string, FakePod>;
  /** By `ruleRef`. */
  readonly rules: Map<string, { rule: AnyRule; conditions: RuleCondition[]; shownRate?: string }>;
  /** Projected native rules by name; `undefined`: the API server does not serve DeviceTaintRules. */
  projected: Map<string, ProjectedRule> | undefined;
  /** By name. */
  readonly policyObjects: Map<string, { policy: EvictionPolicy; conditions: RuleCondition[] }>;
  /** By name. */
  readonly slices: Map<string, DeviceTaintSlice>;
  readonly sliceConditions: Map<string, readonly RuleCondition[]>;
  readonly deletes: { readonly pod: PodRef; readonly at: Instant }[];
  /** Requests to the Eviction API, including refused ones. */
  readonly evictions: { readonly pod: PodRef; readonly at: Instant }[];
  readonly disruptionBudgets: DisruptionBudget[];
  /** By `namespace/resource/name`; others are not found. */
  readonly consumerStates: Map<string, ConsumerState>;
  readonly recorded: Map<string, EventToRecord>;
  /** Number of following DELETEs that are executed, but whose response is lost. */
  unheardDeletes: number;
  /** Returned instead of the next calls, in FIFO order. */
  readonly failures: ApiFailure[];
}

function terminate(pod: FakePod, grace: number | undefined): void {
  pod.terminating = true;
  if (grace !== undefined) pod.gracePeriodSeconds = grace;
}

export function createFakeApiServer(now: () => Instant): FakeApiServer {
  /** Condition types owned by each field owner of a rule's status. */
  const owned = new Map<string, readonly string[]>();
  /** Like server-side apply, drops conditions that their owner no longer applies. */
  const withoutOwn = (owner: string, before: readonly RuleCondition[], next: readonly RuleCondition[]) => {
    const named = next.map(({ type }) => type);
    const types = new Set([...(owned.get(owner) ?? []), ...named]);
    owned.set(owner, named);
    return before.filter(({ type }) => !types.has(type));
  };
  const find = (pod: PodRef) => {
    const found = server.pods.get(`${pod.namespace}/${pod.name}`);
    if (!found) return { kind: 'Gone', why: 'NotFound', status: 404 } as const;
    return found.uid === pod.uid ? found : ({ kind: 'Gone', why: 'Replaced', status: 409 } as const);
  };
  const server: FakeApiServer = {
    disruptionBudgets: [],
    consumerStates: new Map(),
    pods: new Map(),
    rules: new Map(),
    slices: new Map(),
    sliceConditions: new Map(),
    policyObjects: new Map(),
    projected: new Map(),
    deletes: [],
    evictions: [],
    recorded: new Map(),
    failures: [],
    unheardDeletes: 0,
    evictor: {
      async mark(pod) {
        const failure = server.failures.shift();
        if (failure) return failure;
        const found = find(pod);
        if ('kind' in found) return found;
        found.marked = true;
        return found.terminating ? { kind: 'Gone', why: 'Terminating', status: 200 } : { kind: 'Marked', status: 200 };
      },
      async delete(pod, grace) {
        server.deletes.push({ pod, at: now() });
        const failure = server.failures.shift();
        if (failure) return failure;
        const found = find(pod);
        if ('kind' in found) return found;
        terminate(found, grace);
        if (server.unheardDeletes-- > 0) return { kind: 'RetryLater', after: 1000, why: 'no answer within 5 s' };
        return { kind: 'Evicted', status: 200 };
      },
      async evict(pod, grace) {
        server.evictions.push({ pod, at: now() });
        const failure = server.failures.shift();
        if (failure) return failure;
        const found = find(pod);
        if ('kind' in found) return found;
        const budgets = server.disruptionBudgets.filter(({ pods }) => pods.includes(pod.name));
        if (budgets.some(({ allowed }) => allowed < 1))
          return { kind: 'Blocked', why: 'a disruption budget allows none', status: 429 };
        for (const used of budgets)
          server.disruptionBudgets[server.disruptionBudgets.indexOf(used)] = { ...used, allowed: used.allowed - 1 };
        terminate(found, grace);
        return { kind: 'Evicted', status: 201 };
      },
      async look(pod) {
        const failure = server.failures.shift();
        if (failure) return failure;
        const found = find(pod);
        if ('kind' in found) return found;
        return found.terminating ? { kind: 'Gone', why: 'Terminating', status: 200 } : { kind: 'Present' };
      },
    },
    live: createFakeLiveCluster({
      find: (kind, key, observed) => findBeside(server, { kind, key, observed }),
      forget(kind, key) {
        if (kind === 'EvictionPolicy') server.policyObjects.delete(key);
        if (kind === 'DeviceTaintSlice') server.slices.delete(key);
      },
      all(kind) {
        if (kind === 'EvictionPolicy') return [...server.policyObjects.values()].map(({ policy }) => policy);
        const rules = [...server.rules.values()].map(({ rule }) => rule);
        return kind === 'PacedTaintRule' ? rules.filter((rule) => rule.kind === kind) : [];
      },
    }),
    shared: createSharedReads(now),
    ruleStatus: {
      async apply(rule, conditions, part) {
        const found = server.rules.get(ruleRef({ kind: 'DeviceTaintRule', ...rule }));
        if (!found || found.rule.uid !== rule.uid) return { kind: 'RuleGone' };
        const others = withoutOwn(`${rule.uid}|${part}`, found.conditions, conditions);
        found.conditions = [...others, ...conditions];
        return { kind: 'Written' };
      },
      async applySeen(rule, seen) {
        const found = server.rules.get(ruleRef({ kind: 'DeviceTaintRule', ...rule }));
        if (found?.rule.kind !== 'PacedTaintRule' || found.rule.uid !== rule.uid) return { kind: 'RuleGone' };
        const resourceVersion = String(Number(found.rule.resourceVersion) + 1);
        found.rule = { ...found.rule, resourceVersion, seen };
        return { kind: 'Written' };
      },
      async applyRate(rule, rate) {
        const found = server.rules.get(ruleRef({ kind: 'DeviceTaintRule', ...rule }));
        if (!found || found.rule.uid !== rule.uid) return { kind: 'RuleGone' };
        found.shownRate = rate;
        return { kind: 'Written' };
      },
    },
    projections: {
      async list(from) {
        if (!server.projected) return { kind: 'NotServed' };
        const mine = [...server.projected.values()].filter((rule) => rule.from.uid === from);
        return { kind: 'Found', names: mine.map(({ name }) => name) };
      },
      async create(rule) {
        server.projected?.set(rule.name, rule);
        return { kind: 'Written' };
      },
      async remove(name) {
        server.projected?.delete(name);
        return { kind: 'Written' };
      },
    },
    policies: {
      async applyConditions(policy, conditions) {
        const found = server.policyObjects.get(policy.name);
        if (found?.policy.uid !== policy.uid) return { kind: 'RuleGone' };
        found.conditions = [...conditions];
        return { kind: 'Written' };
      },
    },
    taintSlices: {
      async applyConditions(slice, conditions, part) {
        if (server.slices.get(slice.name)?.uid !== slice.uid) return { kind: 'RuleGone' };
        const others = withoutOwn(`${slice.uid}|${part}`, server.sliceConditions.get(slice.name) ?? [], conditions);
        server.sliceConditions.set(slice.name, [...others, ...conditions]);
        return { kind: 'Written' };
      },
      async applyStatus(slice, { seen, counts }) {
        const found = server.slices.get(slice.name);
        if (found?.uid !== slice.uid) return { kind: 'RuleGone' };
        const resourceVersion = String(Number(found.resourceVersion) + 1);
        server.slices.set(slice.name, { ...found, resourceVersion, seen, counts });
        return { kind: 'Written' };
      },
    },
    consumers: {
      async find(namespace, { resource, name }) {
        return server.consumerStates.get(`${namespace}/${resource}/${name}`) ?? { kind: 'NotFound' };
      },
      async isReferenced({ namespace, name }) {
        const pods = server.live.all('Pod').filter((pod) => pod.namespace === namespace);
        return { kind: 'Known', isReferenced: pods.some((pod) => claimNamesOf(pod).includes(name)) };
      },
      async release(claim, remaining) {
        const found = await server.live.read('ResourceClaim', nameKey(claim));
        if (found.kind !== 'Found' || found.object.uid !== claim.uid) return { kind: 'Moved' };
        if (found.object.resourceVersion !== claim.resourceVersion) return { kind: 'Moved' };
        const resourceVersion = String(Number(claim.resourceVersion) + 1);
        server.live.put({ ...found.object, resourceVersion, reservedFor: remaining });
        return { kind: 'Released' };
      },
    },
    budgets: {
      async read(namespace) {
        return { kind: 'Known', budgets: server.disruptionBudgets.filter((one) => one.namespace === namespace) };
      },
    },
    events: {
      async record(event) {
        if (!server.recorded.has(event.name)) server.recorded.set(event.name, event);
      },
    },
  };
  return server;
}

/** Looks an object up in the maps of a test; pods have the state from the watch, if they exist. */
function findBeside(
  server: FakeApiServer,
  { kind, key, observed }: { kind: ObjectKind; key: string; observed: ObjectProjection | undefined },
) {
  switch (kind) {
    case 'DeviceTaintRule':
    case 'PacedTaintRule': {
      const found = server.rules.get(ruleRef({ kind, name: key }));
      if (!found) return 'Absent';
      const { rule: object, conditions, shownRate } = found;
      return { object, conditions, ...(shownRate === undefined ? {} : { shownRate }) };
    }
    case 'EvictionPolicy': {
      const found = server.policyObjects.get(key);
      return found && { object: found.policy, conditions: found.conditions };
    }
    case 'DeviceTaintSlice': {
      const object = server.slices.get(key);
      return object && { object, conditions: server.sliceConditions.get(key) ?? [] };
    }
    case 'Pod': {
      const there = server.pods.get(key);
      return there ? { object: podOf(key, { there, observed }), conditions: [] } : 'Absent';
    }
    default:
      return undefined;
  }
}

function podOf(
  key: string,
  { there: { uid, terminating }, observed }: { there: FakePod; observed: ObjectProjection | undefined },
): Pod {
  const told = observed?.kind === 'Pod' && observed.uid === uid ? observed : undefined;
  const bare = { kind: 'Pod', ...parseNameKey(key), uid, resourceVersion: '1' } as const;
  const pod: Pod = told ?? { ...bare, resourceClaims: [], resourceClaimStatuses: [] };
  return terminating ? { deletionTimestamp: 1, ...pod } : pod;
}
