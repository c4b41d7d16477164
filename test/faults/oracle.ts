// Decides from the live objects, now and shortly before, by which limiters a pod may be evicted.
import { project } from '../../lib/adapters/kubernetes/project.ts';
import { evaluatePod } from '../../lib/decide/evaluate.ts';
import { withPolicy } from '../../lib/decide/policy.ts';
import { rateOf } from '../../lib/decide/rate.ts';
import { taintRulesOf } from '../../lib/decide/ruleTaints.ts';
import { agentTaintsOf } from '../../lib/decide/taintSlice.ts';
import type { KubeObject } from '../../lib/local/cluster/object.ts';
import type { Store, StoreChange } from '../../lib/local/cluster/store.ts';
import type { Rate } from '../../lib/model/eviction.ts';
import type { DeviceClass, DeviceTaintRule, Pod, ResourceClaim, ResourceSlice } from '../../lib/model/objects.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import type { ObjectKind, ObjectProjection } from '../../lib/model/projection.ts';
import type { PacedTaintRule } from '../../lib/model/rule.ts';
import { type Snapshot, snapshotOf, upstreamSettings } from '../../lib/model/snapshot.ts';
import type { DeviceTaintSlice } from '../../lib/model/taintSlice.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import { originKey } from '../../lib/model/verdict.ts';
import type { ApiServer } from './apiServer.ts';

export const kinds: readonly { readonly plural: string; readonly kind: ObjectKind }[] = [
  { plural: 'pods', kind: 'Pod' },
  { plural: 'resourceclaims', kind: 'ResourceClaim' },
  { plural: 'resourceslices', kind: 'ResourceSlice' },
  { plural: 'devicetaintrules', kind: 'DeviceTaintRule' },
  { plural: 'pacedtaintrules', kind: 'PacedTaintRule' },
  { plural: 'devicetaintslices', kind: 'DeviceTaintSlice' },
  { plural: 'evictionpolicies', kind: 'EvictionPolicy' },
  { plural: 'deviceclasses', kind: 'DeviceClass' },
  { plural: 'namespaces', kind: 'Namespace' },
];

/** The maximum age of reads when a DELETE is sent (docs/reference/live-reads.md: younger than a second). */
const oldestRead: Milliseconds = 1000;

/** A change, or the objects of the API server before its store was replaced. */
type Noted = { readonly at: Instant } & (
  | StoreChange
  | { readonly type: 'REPLACED'; readonly objects: ReadonlyMap<string, KubeObject> }
);

export interface Oracle {
  /** Limiters by which the pod may be evicted at any instant from `oldestRead` before `sentAt`; none: it must be kept. */
  judge(pod: KubeObject, sentAt: Instant): readonly string[];
  /** Pods due by `by`, or now, with the limiters that may evict them. */
  due(by?: Instant): readonly { readonly pod: Pod; readonly since: Instant; readonly limiters: readonly string[] }[];
  /** Limiters by which pods are evicted, now or later, whatever their rates. */
  limiters(): ReadonlySet<string>;
  rateOf(limiter: string): Rate;
  /** Follows the store of the API server after it was replaced. */
  follow(): void;
}

/** `skew`: how fast a function's clock may be; a pod is due by the clock of the function that deletes it. */
export function createOracle(api: () => ApiServer, now: () => Instant, skew: Milliseconds): Oracle {
  let changes: Noted[] = [];
  let unsubscribe = () => {};
  /** A snapshot is created again only after a change. */
  let known: { readonly version: string; readonly snapshot: Snapshot } | undefined;
  let followed: Store | undefined;
  const present = (store = api().store): Map<string, KubeObject> => {
    const served = kinds.filter(({ plural }) => api().isServed(plural));
    const all = served.flatMap(({ plural, kind }) =>
      store.list(api().resource(plural)).map((object) => [`${kind} ${keyOf(object)}`, object] as const),
    );
    return new Map(all);
  };
  const current = () => {
    const version = `${api().store.version()} ${kinds.map(({ plural }) => api().isServed(plural))}`;
    if (known?.version !== version) known = { version, snapshot: liveSnapshot([...present().values()]) };
    return known.snapshot;
  };
  const follow = () => {
    unsubscribe();
    if (followed) changes.push({ type: 'REPLACED', objects: present(followed), at: now() });
    followed = api().store;
    known = undefined;
    unsubscribe = api().store.subscribe((change) => {
      changes.push({ ...change, at: now() });
      if (changes.length > 5000) changes = changes.slice(-2500);
    });
  };
  return {
    follow,
    limiters() {
      const snapshot = current();
      const verdicts = snapshot.pods.map((pod) => evaluatePod(pod, snapshot));
      return new Set(verdicts.flatMap((verdict) => (verdict.kind === 'EvictAt' ? verdict.because.map(originKey) : [])));
    },
    rateOf: (limiter) => rateOf(limiter, current(), now()),
    judge(pod, sentAt) {
      const first = limitersAt(pod, current(), now() + skew);
      if (first.length > 0) return first;
      let objects = present();
      for (const change of changes.toReversed()) {
        if (change.at < sentAt - oldestRead) return [];
        if (change.type === 'REPLACED') objects = new Map(change.objects);
        else undo(objects, change);
        const before = objects.get(`Pod ${keyOf(pod)}`);
        if (before?.metadata.uid !== pod.metadata.uid) continue;
        const found = limitersAt(before, liveSnapshot([...objects.values()]), change.at + skew);
        if (found.length > 0) return found;
      }
      return [];
    },
    due(by = now()) {
      const snapshot = current();
      return snapshot.pods
        .filter((pod) => pod.deletionTimestamp === undefined)
        .flatMap((pod) => {
          const verdict = evaluatePod(pod, snapshot);
          if (verdict.kind !== 'EvictAt' || verdict.at > by) return [];
          const due = verdict.because.filter((reason) => reason.at <= by);
          const limiters = due.map(originKey).filter((one) => rateOf(one, snapshot, now()).perSecond > 0);
          return limiters.length === 0 ? [] : [{ pod, since: verdict.at, limiters }];
        });
    },
  };
}

function undo(objects: Map<string, KubeObject>, { type, object, previous }: StoreChange): void {
  const key = `${object.kind} ${keyOf(object)}`;
  if (previous && type !== 'ADDED') objects.set(key, previous);
  else objects.delete(key);
}

/** Limiters by which the pod is due and whose rate is not 0. */
function limitersAt(pod: KubeObject, snapshot: Snapshot, at: Instant): readonly string[] {
  const read = project('Pod', pod);
  if (read.kind !== 'Projected' || read.object.kind !== 'Pod') return [];
  const verdict = evaluatePod(read.object, snapshot);
  if (verdict.kind !== 'EvictAt') return [];
  const due = verdict.because.filter((reason) => reason.at <= at).map(originKey);
  return [...new Set(due)].filter((one) => rateOf(one, snapshot, at).perSecond > 0);
}

export function keyOf({ metadata: { namespace, name } }: KubeObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Objects of the store are immutable, so each is projected once. */
const projections = new WeakMap<KubeObject, { readonly of: ObjectProjection | undefined }>();

export function projected(object: KubeObject): ObjectProjection | undefined {
  const known = projections.get(object) ?? { of: projectedAfresh(object) };
  projections.set(object, known);
  return known.of;
}

function projectedAfresh(object: KubeObject): ObjectProjection | undefined {
  const row = kinds.find(({ kind }) => kind === object.kind);
  const read = row && project(row.kind, object);
  return read?.kind === 'Projected' ? read.object : read?.harmless;
}

function liveSnapshot(objects: readonly KubeObject[]): Snapshot {
  const all = objects.flatMap((object) => projected(object) ?? []);
  const of = <T extends ObjectProjection>(kind: T['kind']) => all.filter((one): one is T => one.kind === kind);
  const policies = of<EvictionPolicy>('EvictionPolicy');
  const classes = new Map(of<DeviceClass>('DeviceClass').map(({ name, selectors }) => [name, selectors]));
  const written = [...of<DeviceTaintRule>('DeviceTaintRule'), ...of<PacedTaintRule>('PacedTaintRule')];
  const rules = written
    .filter((rule) => !('projectedFrom' in rule) || rule.projectedFrom === undefined)
    .flatMap((rule) => taintRulesOf(rule, classes))
    .map((rule) => withPolicy(rule, policies));
  const snapshot = snapshotOf({
    pods: of<Pod>('Pod'),
    claims: of<ResourceClaim>('ResourceClaim'),
    slices: of<ResourceSlice>('ResourceSlice'),
    rules,
    settings: upstreamSettings,
  });
  const agentTaints = agentTaintsOf(of<DeviceTaintSlice>('DeviceTaintSlice'), snapshot.pools);
  return { ...snapshot, policies, agentTaints };
}
