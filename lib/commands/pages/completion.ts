// Completion scripts for bash, zsh and fish, generated from the definitions; they get object names from `sluice get`; pure.
import type { ProgramDefinition } from '../definition.ts';
import { bashScript } from './completionBash.ts';
import { fishScript } from './completionFish.ts';
import { placesOf, valueOptionsOf } from './completionPlaces.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell, program: ProgramDefinition): string {
  const known = { places: placesOf(program), options: valueOptionsOf(program) };
  if (shell === 'fish') return fishScript(known);
  const bash = bashScript(known);
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
}
