// The server behind the state table of a local run.

export interface TableServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** `sqlite` is the project's own; `why` says on the screen why it is taken. */
export type TableChoice =
  | { readonly kind: 'native'; readonly binary: string }
  | { readonly kind: 'sqlite'; readonly why: string };
