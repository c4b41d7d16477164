// Failures that a person can act on: what happened, to what, and the command that helps, in at most three lines.

export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly status: number = 1;
  /** The command or setting that helps. */
  readonly help: string | undefined;

  constructor(message: string, help?: string) {
    super(message);
    this.help = help;
  }
}

/** The command line itself is wrong: nothing was tried. */
export class UsageFailure extends Failure {
  override readonly name = 'UsageFailure';
  override readonly status = 2;
}

const mostLines = 3;
const longestLine = 600;

/** Whatever was thrown, as the lines that standard error gets. `otherwise` helps where the error itself names nothing. */
export function failureLines(error: unknown, otherwise?: string): readonly string[] {
  const text = error instanceof Error ? error.message || error.name : String(error);
  const lines = text
    .replace(/^error: /, '')
    .split('\n')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const named = (error instanceof Failure ? error.help : undefined) ?? otherwise;
  const help = named === undefined ? [] : [named];
  const [first = 'it failed', ...rest] = lines;
  const kept = [`error: ${first}`, ...rest].slice(0, mostLines - help.length);
  return [...kept, ...help].map((one) => (one.length > longestLine ? `${one.slice(0, longestLine - 1)}…` : one));
}

export function statusOf(error: unknown): number {
  return error instanceof Failure ? error.status : 1;
}
