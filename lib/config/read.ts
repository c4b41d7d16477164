// Parses sluice.yaml to a valid configuration, or to all problems with line and column.
import { accountProblems } from './accountProblems.ts';
import { contradictionsIn, fileContradictionsIn } from './contradictions.ts';
import { type Placed, readDocument } from './document.ts';
import { keysAt, placesOf } from './jsonSchema.ts';
import { formatPath, type Problem, problemsOf } from './problem.ts';
import { type Config, configSchema } from './schema.ts';
import { validParts } from './validParts.ts';

/** Invalid configuration; the message has a line per problem, with the place and what to write there. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly Placed[];

  constructor(file: string, problems: readonly Placed[]) {
    super(problems.map((one) => formatProblem(file, one)).join('\n'));
    this.problems = problems;
  }
}

/** `sluice.yaml:3:5: clusters[0].nativ: there is no such key; did you mean "native"?` */
export function formatProblem(file: string, { line, column, path, text }: Placed): string {
  const name = formatPath(path);
  return `${file}:${line}:${column}: ${name === '' ? '' : `${name}: `}${text}`;
}

export type Validated =
  | { readonly kind: 'Valid'; readonly config: Config }
  | { readonly kind: 'Invalid'; readonly problems: readonly Placed[] };

/** Never throws. */
export function validateConfig(text: string): Validated {
  const document = readDocument(text);
  if (document.problems.length > 0) return { kind: 'Invalid', problems: document.problems };
  const { value } = document;
  const parsed = configSchema.safeParse(value ?? {});
  const wrong = parsed.success
    ? []
    : problemsOf(parsed.error.issues, value, { keysAt, placesOf, numberAt: document.numberAt });
  const known = new Set(wrong.map(({ path }) => formatPath(path)));
  const further = allContradictions(parsed.success ? parsed.data : validParts(value));
  const problems = [...wrong, ...further.filter(({ path }) => !known.has(formatPath(path)))];
  if (!parsed.success || problems.length > 0)
    return { kind: 'Invalid', problems: sorted(shownOf(problems).map(document.place)) };
  return { kind: 'Valid', config: parsed.data };
}

/** Throws ConfigError. */
export function readConfig(text: string, file: string): Config {
  const read = validateConfig(text);
  if (read.kind === 'Invalid') throw new ConfigError(file, read.problems);
  return read.config;
}

function allContradictions(config: Config): readonly Problem[] {
  return [...contradictionsIn(config, config.stack ?? {}), ...fileContradictionsIn(config), ...accountProblems(config)];
}

/** Of a file of another format, thousands of keys may be unknown. */
const mostProblems = 100;

function shownOf(problems: readonly Problem[]): readonly Problem[] {
  const [next, ...rest] = problems.slice(mostProblems);
  if (next === undefined) return problems;
  return [
    ...problems.slice(0, mostProblems),
    { ...next, text: `${next.text}; ${rest.length} more problems are not shown` },
  ];
}

function sorted(problems: readonly Placed[]): readonly Placed[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}
