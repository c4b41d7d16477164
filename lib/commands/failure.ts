// Errors for users: what failed, on which object, and the command that helps, in at most three lines.

export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly status: number = 1;
  /** Command or setting that helps. */
  readonly help: string | undefined;

  constructor(message: string, help?: string) {
    super(message);
    this.help = help;
  }
}

/** What is named does not exist, or has not what is asked of it; trying again does not help. */
export class NotFound extends Failure {}

/** The command line is invalid; nothing was attempted. Exit status 2. */
export class UsageFailure extends Failure {
  override readonly name = 'UsageFailure';
  override readonly status = 2;
}

/** Any thrown value as sentences for a page, without the prefix of standard error. */
export function failureSentences(error: unknown): readonly string[] {
  return failureLines(error).map((one, i) => sentenceOf(i === 0 ? one.replace(/^error: /, '') : one));
}

/** Words with which a message may begin; any other first word may be the name of an object, which stays as it is written. */
const firstWords =
  /^(?:an?|apply|cluster|context|kubeconfig|label|namespace|neither|no|omit|only|paused?|reload|run|see|specify|taint|th[ei]s?|there|use|write)(?![\w/.-])/;

function sentenceOf(text: string): string {
  const begun = firstWords.test(text) ? `${text[0]?.toUpperCase()}${text.slice(1)}` : text;
  return /[.:!?…]$/.test(begun) || /\b(?:sluice|kubectl) |--/.test(begun) ? begun : `${begun}.`;
}

const mostLines = 3;
const longestLine = 600;

/** Any thrown value as lines for standard error. `otherwise`: help for an error that has none. */
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

/** The SDK tries other sources after a profile that does not exist or has no credentials, and its error names none of them. */
export function withProfile(text: string, profile: string | undefined): string {
  const unloaded = 'Could not load credentials from any providers';
  return profile ? text.replace(unloaded, `no credentials were found, and AWS_PROFILE is ${profile}`) : text;
}

export function statusOf(error: unknown): number {
  return error instanceof Failure ? error.status : 1;
}
