// Reads all objects except the pod and its claims from the API server: at most 500 ms old, shared by the pods of a process.
import type { ListVersions, LiveCluster, NotRead, Read, ReadAll, SharedRead, SharedReads } from '../../liveCluster.ts';
import { compareResourceVersions, type Incarnation, poolKey, type Uid } from '../../model/identity.ts';
import type { Namespace } from '../../model/namespace.ts';
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../model/objects.ts';
import type { EvictionPolicy } from '../../model/policy.ts';
import type { ObjectKind, ObjectOf } from '../../model/projection.ts';
import { type AnyRule, type PacedTaintRule, parseRuleRef, type RuleRef, ruleRef } from '../../model/rule.ts';
import type { DeviceTaintSlice } from '../../model/taintSlice.ts';
import type { Instant } from '../../model/time.ts';
import type { NotKnown } from './ownReads.ts';

/** The DELETE must be sent within one second of the read; half of that is left for the steps in between. */
export const sharedFor = 500;

/** The objects to read. */
export interface Wanted {
  readonly rules: readonly RuleRef[];
  /** Generation of each PacedTaintRule in the table, by UID. */
  readonly knownRules: ReadonlyMap<Uid, number>;
  readonly taintSlices: readonly string[];
  readonly claims: readonly ResourceClaim[];
  readonly namespace: string;
  readonly nodeName: string | undefined;
  /** When the step began that asks: what it asked for itself is used, whatever its age. */
  readonly since: Instant;
  /** Use no read that was sent before this mark. */
  readonly after: number;
}

export interface SharedObjects {
  readonly kind: 'Shared';
  readonly incarnation: Incarnation;
  readonly rules: readonly AnyRule[];
  /** PacedTaintRules, as in the table, that the verdict does not name but that may replace a rule that it names. */
  readonly replacing: readonly PacedTaintRule[];
  readonly policies: readonly EvictionPolicy[];
  /** Whether the API server serves the kind. */
  readonly hasPolicies: boolean;
  readonly classes: readonly DeviceClass[];
  readonly namespaces: readonly Namespace[];
  readonly slices: readonly ResourceSlice[];
  readonly taintSlices: readonly DeviceTaintSlice[];
  /** Objects that the API server does not have. */
  readonly absent: readonly Absence[];
  /** When the oldest of these reads was sent; and marks from before the first and after the last. */
  readonly readAt: Instant;
  readonly begun: number;
  readonly ended: number;
  /** Versions of lists of pods and claims that were answered before any of these reads. */
  readonly versions: ListVersions;
}

export interface Absence {
  readonly kind: ObjectKind;
  readonly key: string;
}

type From = { readonly live: LiveCluster; readonly shared: SharedReads };

/** Collects answers; the first failure is kept as `problem`. */
interface Gathering {
  problem: NotKnown | undefined;
  readonly reads: SharedRead<unknown>[];
  readonly absent: Absence[];
}

function keep(into: Gathering, { kind, why }: NotRead): void {
  into.problem ??= { kind: 'Kept', why, read: kind };
}

export async function readShared(from: From, wanted: Wanted): Promise<SharedObjects | NotKnown> {
  const into: Gathering = { problem: undefined, reads: [], absent: [] };
  const one = readerOf(from, wanted, into);
  const incarnation = once(from, wanted, into, 'incarnation', () => from.live.incarnation());
  const policies = once(from, wanted, into, 'policies', () => from.live.policies());
  const [named, others, namespaces, taintSlices, slices, lives, listed] = await Promise.all([
    all(wanted.rules.map((ref) => one(parseRuleRef(ref).kind, parseRuleRef(ref).name))),
    readOthers(from, wanted, into),
    all([one('Namespace', wanted.namespace)]),
    all([...new Set(wanted.taintSlices)].map((name) => one('DeviceTaintSlice', name))),
    readSlices(from, wanted, into),
    incarnation,
    policies,
  ]);
  const replacing = others.filter((rule) => mayReplace(rule, named));
  const isKnown = (rule: PacedTaintRule) => wanted.knownRules.get(rule.uid) === rule.generation;
  const rules = [...named, ...replacing.filter((rule) => !isKnown(rule))];
  const classNames = [...named, ...replacing].flatMap((rule) =>
    rule.kind === 'PacedTaintRule' ? (rule.deviceSelector?.deviceClassName ?? []) : [],
  );
  const classes = await all([...new Set(classNames)].map((name) => one('DeviceClass', name)));
  if (lives.kind !== 'Found') keep(into, lives);
  if (listed.kind === 'RetryLater' || listed.kind === 'Refused') keep(into, listed);
  if (into.problem) return into.problem;
  return {
    kind: 'Shared',
    incarnation: lives.kind === 'Found' ? lives.incarnation : '',
    // Rules that Sluice projected for the scheduler are no input.
    rules: rules.filter((rule) => rule.kind === 'PacedTaintRule' || rule.projectedFrom === undefined),
    replacing: replacing.filter(isKnown),
    policies: listed.kind === 'Listed' ? listed.objects : [],
    hasPolicies: listed.kind === 'Listed',
    classes,
    namespaces,
    slices,
    taintSlices,
    absent: into.absent,
    readAt: Math.min(...into.reads.map(({ readAt }) => readAt)),
    begun: Math.min(...into.reads.map(({ begun }) => begun)),
    ended: Math.max(...into.reads.map(({ ended }) => ended)),
    versions: oldestOf(into.reads.map(({ versions }) => versions)),
  };
}

/** The oldest version of each kind that is in all of them. */
function oldestOf(all: readonly ListVersions[]): ListVersions {
  const [first = new Map() as ListVersions, ...others] = all;
  return others.reduce(olderOf, first);
}

function olderOf(a: ListVersions, b: ListVersions): ListVersions {
  const older = new Map(a);
  for (const [kind, version] of a) {
    const other = b.get(kind);
    if (other === undefined) older.delete(kind);
    else if (compareResourceVersions(other, version) < 0) older.set(kind, other);
  }
  return older;
}

async function all<T>(reads: readonly Promise<T | undefined>[]): Promise<readonly T[]> {
  return (await Promise.all(reads)).flatMap((found) => (found === undefined ? [] : [found]));
}

async function once<T>(
  from: From,
  { since, after }: Wanted,
  into: Gathering,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  const read = await from.shared.read(key, { maxAge: sharedFor, since, after }, ask);
  into.reads.push(read);
  return read.value;
}

/** `undefined` where the object does not exist or cannot be read. */
function readerOf(from: From, wanted: Wanted, into: Gathering) {
  return async <K extends ObjectKind>(kind: K, key: string): Promise<ObjectOf<K> | undefined> => {
    const read: Awaited<Read<K>> = await once(from, wanted, into, `${kind} ${key}`, () => from.live.read(kind, key));
    if (read.kind === 'Found') return read.object;
    if (read.kind === 'NotFound') into.absent.push({ kind, key });
    else keep(into, read);
    return undefined;
  };
}

/**
 * PacedTaintRules that the verdict does not name: one of them may replace a rule that it names, whether or not the table has it.
 * The pod's row may be older than the rule's row. Where not all of them can be read, the pod is kept (docs/reference/live-reads.md).
 */
async function readOthers(from: From, wanted: Wanted, into: Gathering): Promise<readonly PacedTaintRule[]> {
  const { rules } = wanted;
  if (!rules.some((ref) => parseRuleRef(ref).kind === 'PacedTaintRule')) return [];
  const list = await once(from, wanted, into, 'paced rules', () => from.live.pacedRules());
  if (list.kind === 'Listed') return list.objects.filter((rule) => !rules.includes(ruleRef(rule)));
  keep(into, list);
  return [];
}

/** A rule replaces the taints with the same key and effect of another rule. */
function mayReplace(rule: PacedTaintRule, others: readonly AnyRule[]): boolean {
  const taints = others.flatMap((other) => (other.kind === 'PacedTaintRule' ? other.taints : []));
  return rule.taints.some((mine) => taints.some(({ key, effect }) => key === mine.key && effect === mine.effect));
}

async function readSlices(from: From, wanted: Wanted, into: Gathering): Promise<readonly ResourceSlice[]> {
  const { nodeName } = wanted;
  const devices = wanted.claims.flatMap(({ allocation }) => allocation?.devices ?? []);
  const pools = new Map(devices.map(({ driver, pool }) => [poolKey(driver, pool), { driver, pool, nodeName }]));
  const lists = await Promise.all(
    [...pools].map(async ([key, pool]) => {
      const list: Awaited<ReadAll<'ResourceSlice'>> = await once(from, wanted, into, `pool ${key} ${nodeName}`, () =>
        from.live.slices(pool),
      );
      if (list.kind === 'Listed') return list.objects;
      keep(into, list);
      return [];
    }),
  );
  return lists.flat();
}
