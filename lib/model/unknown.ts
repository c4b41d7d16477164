// Objects of a cluster that the mirror lacks, as far as pods depend on them.

/** Why the content of an object is unknown; pods that depend on it are kept. */
export interface UnknownObjects {
  /** By `namespace/name`. */
  readonly pods: ReadonlyMap<string, string>;
  /** By `namespace/name`. */
  readonly claims: ReadonlyMap<string, string>;
  /** By `driver|pool`. */
  readonly pools: ReadonlyMap<string, string>;
  /** Applies to every pod that uses a claim. */
  readonly all?: string;
}
