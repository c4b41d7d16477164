// Types of verb definitions, from which the command line, the reference, man pages and completion are generated.
import type { Io } from './io.ts';

/** What completion offers names of; `kind`: of the kind that is the value of the previous argument. */
export type Named =
  | 'rules'
  | 'policies'
  | 'devices'
  | 'pods'
  | 'clusters'
  | 'namespaces'
  | 'nodes'
  | 'contexts'
  | 'kind';

export interface ArgumentDefinition {
  readonly name: string;
  readonly text: string;
  readonly isOptional?: true;
  /** Takes all following arguments. */
  readonly isMany?: true;
  readonly choices?: readonly string[];
  readonly objects?: Named;
}

export interface OptionDefinition {
  /** As commander and man pages write them: `-o, --output <format>`. */
  readonly flags: string;
  readonly text: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Values that completion offers although other values are allowed. */
  readonly examples?: readonly string[];
  readonly objects?: Named;
  /** May be repeated. */
  readonly isMany?: true;
}

/** Groups of options that several verbs share. */
export type Common =
  | 'cluster'
  | 'installation'
  | 'configuration'
  | 'output'
  | 'namespace'
  | 'selector'
  | 'watch'
  | 'confirm';

export interface Example {
  readonly command: string;
  readonly text: string;
}

export interface VerbDefinition {
  readonly name: string;
  /** Alternative spellings, such as the singular of a kind. */
  readonly aliases?: readonly string[];
  /** One sentence: what the verb prints or does. */
  readonly text: string;
  /** Further paragraphs for help and documentation. */
  readonly details?: readonly string[];
  readonly arguments?: readonly ArgumentDefinition[];
  readonly uses?: readonly Common[];
  readonly options?: readonly OptionDefinition[];
  readonly examples?: readonly Example[];
  /** Exit statuses other than 0, 1 and 2. */
  readonly statuses?: readonly { readonly status: number; readonly text: string }[];
  readonly verbs?: readonly VerbDefinition[];
  /** Imports the code of this verb only. Absent for a group of verbs. */
  readonly load?: () => Promise<{ readonly run: Run }>;
}

export interface ProgramDefinition {
  readonly text: string;
  readonly version: string;
  readonly verbs: readonly VerbDefinition[];
}

export type Flags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface Call {
  readonly args: readonly string[];
  /** By long option name in camel case, as commander returns them. */
  readonly flags: Flags;
  readonly io: Io;
  /** `sluice`, or `kubectl sluice`. */
  readonly name: string;
  readonly program: ProgramDefinition;
}

/** Returns the exit status; `undefined` means 0. */
export type Run = (call: Call) => Promise<number | undefined>;

/** For several verbs implemented in one file: passes the verb's name as the first argument. */
export function withWord(word: string, load: NonNullable<VerbDefinition['load']>): NonNullable<VerbDefinition['load']> {
  return async () => {
    const { run } = await load();
    return { run: (call) => run({ ...call, args: [word, ...call.args] }) };
  };
}
