// Who acts on which taints of a cluster: Sluice, another controller, or none.
import type { LimiterId } from './eviction.ts';
import type { AnyRule } from './rule.ts';
import type { Instant } from './time.ts';
import type { TaintOrigin } from './verdict.ts';

/**
 * `own`: Sluice evicts. `shadow`: it decides all the same and compares with what happens, and evicts no pod. `off`: it does not
 * even decide.
 */
export type Mode = 'own' | 'shadow' | 'off';

/** Where taints come from: `native`, DeviceTaintRules and ResourceSlices; `paced`, PacedTaintRules and DeviceTaintSlices. */
export type Source = 'native' | 'paced';

export const sources: readonly Source[] = ['native', 'paced'];

export type Modes = Readonly<Record<Source, Mode>>;

/** What a cluster's configuration allows. */
export interface ConfiguredModes extends Modes {
  /** Native taints are acted on although the in-tree controller seems to act on them, too. */
  readonly ignoresInTree?: true;
}

/** What shows that the in-tree controller acts, or that it is unknown whether it does. */
export interface InTreeSeen {
  /** When it left the trace, by the API server's clock. */
  readonly at: Instant;
  /** For people. */
  readonly evidence: string;
}

export const allOwned: Modes = { native: 'own', paced: 'own' };

/** From nothing to everything. */
const order: Readonly<Record<Mode, number>> = { off: 0, shadow: 1, own: 2 };

/** Whether the first mode does less than the second. */
export function isLower(a: Mode, b: Mode): boolean {
  return order[a] < order[b];
}

/** By source the mode that does least. */
export function lowest(a: Modes, b: Partial<Modes> = {}): Modes {
  const of = (source: Source): Mode => {
    const other = b[source] ?? a[source];
    return isLower(other, a[source]) ? other : a[source];
  };
  return { native: of('native'), paced: of('paced') };
}

export function sourceOfKind(kind: AnyRule['kind']): Source {
  return kind === 'DeviceTaintRule' ? 'native' : 'paced';
}

export function sourceOf(origin: TaintOrigin): Source {
  const isPaced = origin.kind === 'Rule' ? origin.ruleKind !== undefined : origin.sliceKind !== undefined;
  return isPaced ? 'paced' : 'native';
}

/** `native shadow, paced own` */
export function describeModes(modes: Modes): string {
  return sources.map((source) => `${source} ${modes[source]}`).join(', ');
}

/** What the table remembers of a cluster's modes. */
export interface StoredModes {
  /** What the cluster runs at; absent until a person has looked. */
  readonly applied?: Modes;
  /** What a person has switched at run time; never more than is configured. */
  readonly switched?: Partial<Modes>;
  /** Sources that are to evict again, and since when the plan of that has been there to be read. */
  readonly rising?: Partial<Readonly<Record<Source, Instant>>>;
  /** The in-tree controller has been seen: native taints are no more than watched until a person says `own`. */
  readonly inTree?: InTreeSeen;
  /** When a person last said `own` of native taints: older traces of the in-tree controller do not count. */
  readonly heedAfter?: Instant;
  /** The last change is not yet handed to evaluations. */
  readonly isOwed?: true;
}

/** What a cluster is to run at: never two owners of native taints, and nothing beyond its configuration and what people switched. */
export function wantedModes(configured: ConfiguredModes, { switched, inTree }: StoredModes): Modes {
  const isShared = inTree !== undefined && !configured.ignoresInTree;
  return lowest(lowest(configured, switched), isShared ? { native: 'shadow' } : {});
}

/** What a step may do now: nothing beyond what is wanted, and what the cluster runs at. */
export function effectiveModes(configured: ConfiguredModes, stored: StoredModes = {}): Modes {
  return lowest(wantedModes(configured, stored), stored.applied);
}

/** The first trace is kept. The same object: there is nothing new. */
export function withInTree(stored: StoredModes, seen: InTreeSeen | undefined): StoredModes {
  if (!seen || stored.inTree || seen.at <= (stored.heedAfter ?? Number.NEGATIVE_INFINITY)) return stored;
  return { ...stored, inTree: seen };
}

/** Whether a configuration allows less than the cluster is said to run at, as it does while a deployment is under way. */
export function allowsLess(configured: Modes, { applied = allOwned }: StoredModes = {}): boolean {
  return sources.some((source) => isLower(configured[source], applied[source]));
}

/** Whose pods a limiter can list: taints of both kinds of slices share theirs. */
export function sourcesOfLimiter(limiter: LimiterId): readonly Source[] {
  const [kind, ...rest] = limiter.split('|');
  if (kind !== 'rule') return sources;
  return rest.length === 1 ? ['native'] : ['paced'];
}

/** Who would go because of one source, were it to evict again. */
export interface ModePlan {
  readonly at: Instant;
  readonly pods: number;
  readonly namespaces: number;
  /** Rules and slices with most pods first. */
  readonly origins: readonly { readonly origin: string; readonly pods: number }[];
}
