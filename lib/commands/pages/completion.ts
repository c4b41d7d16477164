// Completion scripts for bash, zsh and fish, made from the definitions; pure.
import type { ProgramDefinition, VerbDefinition } from '../definition.ts';
import { optionsOf } from '../options.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface Place {
  /** `get rules`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly string[];
  readonly flags: readonly string[];
}

export function placesOf({ verbs }: ProgramDefinition): readonly Place[] {
  const top = { path: '', words: verbs.map(({ name }) => name), flags: ['--help'] };
  return [top, ...verbs.flatMap((verb) => placesBelow(verb, verb.name))];
}

function placesBelow(verb: VerbDefinition, path: string): readonly Place[] {
  const children = verb.verbs ?? [];
  const choices = (verb.arguments ?? []).flatMap((one) => one.choices ?? []);
  const flags = optionsOf(verb).map(({ flags: text }) => longOf(text));
  const place = { path, words: [...children.map(({ name }) => name), ...choices], flags: [...flags, '--help'] };
  return [place, ...children.flatMap((child) => placesBelow(child, `${path} ${child.name}`))];
}

function longOf(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

/** Words before the cursor lead to a place; the innermost one that is known says which words may follow. */
const bashText = String.raw`# Completes the words of sluice: verbs, options and fixed choices.
_sluice() {
  local word path='' words=''
  for word in "\x24{COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="\x24{path:+$path }$word" ;; esac
  done
  while :; do
    case "$path" in
CASES
    esac
    if [ -n "$words" ] || [ -z "$path" ]; then break; fi
    case "$path" in *\ *) path="\x24{path% *}" ;; *) path='' ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "\x24{COMP_WORDS[COMP_CWORD]}"))
}
complete -F _sluice sluice kubectl-sluice
`.replaceAll('\\x24', '$');

export function completionScript(shell: Shell, program: ProgramDefinition): string {
  const places = placesOf(program);
  if (shell === 'fish') return fish(places);
  const cases = places.map(({ path, words, flags }) => `      '${path}') words='${[...words, ...flags].join(' ')}' ;;`);
  const bash = bashText.replace('CASES', () => cases.join('\n'));
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words, flags }) => {
    const seen =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map((one) => `__fish_seen_subcommand_from ${one}`)
            .join('; and ');
    const list = [...words, ...flags].join(' ');
    return [`complete -c sluice -f -n '${seen}' -a '${list}'`];
  });
  return `# Completes the words of sluice: verbs, options and fixed choices.\n${lines.join('\n')}\n`;
}
