// Asks for confirmation before a write that deletes pods; without a terminal, `--yes` is required.
import { createInterface } from 'node:readline/promises';
import type { Call } from './definition.ts';
import { Failure, UsageFailure } from './failure.ts';
import { isSet } from './flags.ts';
import { line } from './io.ts';

/** Ctrl-C or Ctrl-D in place of an answer. */
function interrupted(): never {
  throw new Failure('not confirmed; nothing was written');
}

/** `false` with --dry-run. Throws if the answer is no. */
export async function isConfirmed(call: Pick<Call, 'flags' | 'io'>, question: string): Promise<boolean> {
  const { flags, io } = call;
  if (isSet(flags, 'dryRun')) {
    line(io.err, 'dry run: nothing was written');
    return false;
  }
  if (isSet(flags, 'yes')) return true;
  if (io.input.isTTY !== true)
    throw new UsageFailure(
      `cannot ask "${question}": standard input is not a terminal; nothing was written`,
      'to confirm without a terminal, add --yes',
    );
  const prompt = createInterface({ input: io.input as NodeJS.ReadStream, output: io.err as NodeJS.WriteStream });
  try {
    const answer = await prompt.question(`${question} [y/N] `, { signal: io.signal }).catch(interrupted);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Failure('not confirmed; nothing was written');
    return true;
  } finally {
    prompt.close();
  }
}
