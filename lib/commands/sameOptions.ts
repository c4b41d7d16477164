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
  const given = choosing.flatMap((name) => {
    const value = known.has(name) ? textFlag(flags, name) : undefined;
    return value === undefined ? [] : [` --${name} ${/^[\w./:@-]+$/.test(value) ? value : `'${value}'`}`];
  });
  return `${text}${given.join('')}`;
}
