// `sluice completion`: prints a completion script for bash, zsh or fish.
import type { Call } from '../definition.ts';
import { completionScript, type Shell } from '../pages/completion.ts';

export async function run({ args: [shell], io, program }: Call): Promise<number> {
  io.out.write(completionScript(shell as Shell, program));
  return 0;
}
