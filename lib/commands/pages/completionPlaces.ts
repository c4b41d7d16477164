// What completion offers at each place of a command line, derived from the definitions; pure.
import type { ArgumentDefinition, OptionDefinition, ProgramDefinition, VerbDefinition } from '../definition.ts';
import { optionsOf } from '../options.ts';

export interface Place {
  /** `get rules`; empty for the program itself. */
  readonly path: string;
  /** The path with aliases, such as `get rule`. */
  readonly aliases: readonly string[];
  /** Verbs of the group. */
  readonly words: readonly string[];
  /** For each argument: words, or `@rules` for object names of a kind; `@kind`: the kind is the previous word. */
  readonly arguments: readonly (readonly string[])[];
  readonly flags: readonly string[];
}

export interface ValueOption {
  /** `-o`, `--output`. */
  readonly names: readonly string[];
  /** Empty: a file name or any text. One word `@namespaces`: names of that kind. */
  readonly values: readonly string[];
}

export function placesOf({ verbs }: ProgramDefinition): readonly Place[] {
  const top = { path: '', aliases: [], words: verbs.map(({ name }) => name), arguments: [], flags: ['--help'] };
  return [top, ...verbs.flatMap((verb) => placesBelow(verb, ['']))];
}

/** `before`: possible spellings of the words before the verb, each with a trailing space. */
function placesBelow(verb: VerbDefinition, before: readonly string[]): readonly Place[] {
  const children = verb.verbs ?? [];
  const names = [verb.name, ...(verb.aliases ?? [])];
  const [path = '', ...aliases] = names.flatMap((name) => before.map((one) => `${one}${name}`));
  const flags = optionsOf(verb).map(({ flags: text }) => longOf(text));
  const place: Place = {
    path,
    aliases: aliases.filter((one) => one !== path),
    words: children.map(({ name }) => name),
    arguments: (verb.arguments ?? []).map(offeredFor),
    flags: [...flags, '--help'],
  };
  return [
    place,
    ...children.flatMap((child) =>
      placesBelow(
        child,
        [path, ...aliases].map((one) => `${one} `),
      ),
    ),
  ];
}

function offeredFor({ choices = [], objects }: ArgumentDefinition): readonly string[] {
  return objects === undefined ? choices : [`@${objects}`];
}

/** Options with a value, each once: verbs that share an option share its values. */
export function valueOptionsOf({ verbs }: ProgramDefinition): readonly ValueOption[] {
  const all = (verb: VerbDefinition): readonly OptionDefinition[] => [
    ...optionsOf(verb),
    ...(verb.verbs ?? []).flatMap(all),
  ];
  const taking = verbs.flatMap(all).filter(({ flags }) => flags.includes('<'));
  // Of the verbs that share an option, one may offer names: it comes last.
  const byName = new Map(
    taking
      .toSorted((a, b) => Number(a.objects !== undefined) - Number(b.objects !== undefined))
      .map((one): [string, ValueOption] => {
        const names = one.flags.match(/(?<![a-z])-[a-z](?=,)|--[a-z-]+/g) ?? [];
        return [
          longOf(one.flags),
          { names, values: one.objects ? [`@${one.objects}`] : (one.choices ?? one.examples ?? []) },
        ];
      }),
  );
  return [...byName.values()];
}

function longOf(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}
