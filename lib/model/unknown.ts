// What a cluster has and the mirror does not hold, as far as pods depend on it.

/** Why it is unknown what something says; pods that depend on it stay. */
export interface UnknownObjects {
  /** By `namespace/name`. */
  readonly pods: ReadonlyMap<string, string>;
  /** By `namespace/name`. */
  readonly claims: ReadonlyMap<string, string>;
  /** By `driver|pool`. */
  readonly pools: ReadonlyMap<string, string>;
  /** Of every pod that uses a claim. */
  readonly all?: string;
}
