// The form in which each verb of the command line is defined; set-up, reference, man pages and completion are made from it.
import type { Io } from './io.ts';

export interface ArgumentDefinition {
  readonly name: string;
  readonly text: string;
  readonly isOptional?: true;
  /** Takes all that follow. */
  readonly isMany?: true;
  readonly choices?: readonly string[];
  /** Kind of `sluice get` whose names completion offers; `kind`: the kind that the argument before it says. */
  readonly objects?: 'rules' | 'policies' | 'devices' | 'pods' | 'clusters' | 'kind';
}

export interface OptionDefinition {
  /** As commander and man pages write them: `-o, --output <format>`. */
  readonly flags: string;
  readonly text: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** What completion offers where not every value is a fixed choice. */
  readonly examples?: readonly string[];
  /** May be given several times. */
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
  /** Other spellings, such as the singular of a kind. */
  readonly aliases?: readonly string[];
  /** One sentence: what the verb answers or does. */
  readonly text: string;
  /** What else a reader of its page needs, a paragraph each. */
  readonly details?: readonly string[];
  readonly arguments?: readonly ArgumentDefinition[];
  readonly uses?: readonly Common[];
  readonly options?: readonly OptionDefinition[];
  readonly examples?: readonly Example[];
  /** Exit statuses besides 0, 1 and 2. */
  readonly statuses?: readonly { readonly status: number; readonly text: string }[];
  readonly verbs?: readonly VerbDefinition[];
  /** Loads the code of the verb, and only that. Absent for a group of verbs. */
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
  /** By long name in camel case, as commander has them. */
  readonly flags: Flags;
  readonly io: Io;
  /** `sluice`, or `kubectl sluice`. */
  readonly name: string;
  readonly program: ProgramDefinition;
}

/** The exit status; 0 where nothing is returned. */
export type Run = (call: Call) => Promise<number | undefined>;

/** One file of code behind several verbs of a group: the verb's own name comes first among its arguments. */
export function withWord(word: string, load: NonNullable<VerbDefinition['load']>): NonNullable<VerbDefinition['load']> {
  return async () => {
    const { run } = await load();
    return { run: (call) => run({ ...call, args: [word, ...call.args] }) };
  };
}
