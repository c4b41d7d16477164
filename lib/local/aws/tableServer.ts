// Server of the state table in a local run.

export interface TableServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** `sqlite`: the project's own server; `why`: reason for this choice, shown on the screen. */
export type TableChoice =
  | { readonly kind: 'native'; readonly binary: string }
  | { readonly kind: 'sqlite'; readonly why: string };
