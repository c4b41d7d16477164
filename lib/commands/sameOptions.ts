// Adds to a command in a help line the options that choose cluster and installation, so that it answers about the same ones.
import type { Flags, ProgramDefinition } from './definition.ts';
import { textFlag } from './flags.ts';
import { optionsOf } from './options.ts';
import { pathOf } from './verbPath.ts';

const choosing = ['kubeconfig', 'context', 'stack', 'table', 'region', 'config'];

/** `text` stays as it is if it does not end with a command of the program, or if that command names an installation itself. */
export function withSameOptions(
  text: string,
  { flags, verbs }: { readonly flags: Flags } & Pick<ProgramDefinition, 'verbs'>,
): string {
  const [, command] = /(?:^|: |; )sluice ([a-z][^;]*)$/.exec(text) ?? [];
  if (command === undefined || command.includes('--help')) return text;
  const verb = pathOf(command.split(' '), verbs).at(-1);
  if (verb?.load === undefined || choosing.some((name) => command.includes(`--${name}`))) return text;
  const known = new Set(optionsOf(verb).map((one) => one.flags.match(/--([a-z-]+)/)?.[1]));
  return `${text}${choosingOptions(
    flags,
    choosing.filter((name) => known.has(name)),
  )}`;
}

/** ` --stack Sluice --region eu-west-1`: those that were given, as a shell reads them. */
export function choosingOptions(flags: Flags, names: readonly string[] = choosing): string {
  return names
    .flatMap((name) => {
      const value = textFlag(flags, name);
      return value === undefined ? [] : [` --${name} ${shellWord(value)}`];
    })
    .join('');
}

function shellWord(value: string): string {
  return /^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
