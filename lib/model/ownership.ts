// Which controller acts on which taints of a cluster: Sluice, another controller, or none.
import type { LimiterId } from './eviction.ts';
import type { AnyRule } from './rule.ts';
import type { Instant } from './time.ts';
import type { TaintOrigin } from './verdict.ts';

/** `own`: Sluice evicts. `shadow`: Sluice decides, compares with what happens, and evicts no pod. `off`: Sluice does not decide. */
export type Mode = 'own' | 'shadow' | 'off';

/** Origin of taints. `native`: DeviceTaintRules and ResourceSlices. `paced`: PacedTaintRules and DeviceTaintSlices. */
export type Source = 'native' | 'paced';

export const sources: readonly Source[] = ['native', 'paced'];

export type Modes = Readonly<Record<Source, Mode>>;

/** What a cluster's configuration allows. */
export interface ConfiguredModes extends Modes {
  /** Sluice acts on native taints even if the in-tree controller seems to act on them too. */
  readonly ignoresInTree?: true;
}

/** Evidence that the in-tree controller acts, or that it is unknown whether it does. */
export interface InTreeSeen {
  /** Time of the trace, by the API server's clock. */
  readonly at: Instant;
  /** In words. */
  readonly evidence: string;
}

export const allOwned: Modes = { native: 'own', paced: 'own' };

/** From least to most activity. */
const order: Readonly<Record<Mode, number>> = { off: 0, shadow: 1, own: 2 };

/** Whether the first mode does less than the second. */
export function isLower(a: Mode, b: Mode): boolean {
  return order[a] < order[b];
}

/** Per source, the lower of both modes. */
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

/** A cluster's modes as stored in the table. */
export interface StoredModes {
  /** The applied modes; absent before the first run of `switchingOf`. */
  readonly applied?: Modes;
  /** Modes that a person set at run time; they can only lower the configured ones. */
  readonly switched?: Partial<Modes>;
  /** Sources that will switch to `own`, and since when their plan can be read. */
  readonly rising?: Partial<Readonly<Record<Source, Instant>>>;
  /** The in-tree controller was seen: native taints are in mode `shadow` until a person sets `own`. */
  readonly inTree?: InTreeSeen;
  /** When a person last set `own` for native taints: older traces of the in-tree controller are ignored. */
  readonly heedAfter?: Instant;
  /** The last change has not been passed to evaluations yet. */
  readonly isOwed?: true;
}

/** The modes a cluster should have: never two owners of native taints, and nothing beyond its configuration and what people set. */
export function wantedModes(configured: ConfiguredModes, { switched, inTree }: StoredModes): Modes {
  const isShared = inTree !== undefined && !configured.ignoresInTree;
  return lowest(lowest(configured, switched), isShared ? { native: 'shadow' } : {});
}

/** The modes for the current step: the lower of the wanted and the applied modes. */
export function effectiveModes(configured: ConfiguredModes, stored: StoredModes = {}): Modes {
  return lowest(wantedModes(configured, stored), stored.applied);
}

/** Keeps the first trace. Returns the same object if nothing changed. */
export function withInTree(stored: StoredModes, seen: InTreeSeen | undefined): StoredModes {
  if (!seen || stored.inTree || seen.at <= (stored.heedAfter ?? Number.NEGATIVE_INFINITY)) return stored;
  return { ...stored, inTree: seen };
}

/** Whether the configuration allows less than the applied modes, as during a deployment. */
export function allowsLess(configured: Modes, { applied = allOwned }: StoredModes = {}): boolean {
  return sources.some((source) => isLower(configured[source], applied[source]));
}

/** Sources of the pods that a limiter can list; taints of both kinds of slices share limiters. */
export function sourcesOfLimiter(limiter: LimiterId): readonly Source[] {
  const [kind, ...rest] = limiter.split('|');
  if (kind !== 'rule') return sources;
  return rest.length === 1 ? ['native'] : ['paced'];
}

/** The pods that would be evicted if one source were switched to `own`. */
export interface ModePlan {
  readonly at: Instant;
  readonly pods: number;
  readonly namespaces: number;
  /** Rules and slices, those with most pods first. */
  readonly origins: readonly { readonly origin: string; readonly pods: number }[];
}
