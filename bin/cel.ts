// Evaluates device selectors from the command line: a file of test vectors, or one expression on one device.
import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { buildDevice, type DeviceFields } from '../lib/cel/device.ts';
import { type Release, releases } from '../lib/cel/environment.ts';
import { compileSelectors, type RefusedSelectors, type SelectorTexts } from '../lib/cel/selection.ts';
import { compile } from '../lib/cel/selector.ts';

/** Exit code for input that cannot be used at all. */
const badInput = 2;

const deviceShape = z.looseObject({ driver: z.string().default('') });
const vectorsShape = z.array(
  z.looseObject({ name: z.string(), expression: z.string(), device: deviceShape.default({ driver: '' }) }),
);

class InputError extends Error {}

function parseRelease(text: string): Release {
  const release = releases.find((known) => known === text);
  if (release) return release;
  throw new InvalidArgumentError(`known releases are ${releases.join(', ')}`);
}

/** Integers that a double cannot hold stay text, so that none is rounded on the way in. */
function readJson(file: string): unknown {
  const text = readText(file);
  try {
    return JSON.parse(text, (_, value, { source } = { source: '' }) => {
      const rounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
      return rounded && /^-?[0-9]+$/.test(source ?? '') ? source : value;
    });
  } catch (error) {
    throw new InputError(`${file} is not JSON: ${messageOf(error)}`);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InputError(`cannot read ${file}: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function checked<T>(file: string, shape: z.ZodType<T>): T {
  const result = shape.safeParse(readJson(file));
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `  ${path.join('.') || 'the file'}: ${message}`);
  throw new InputError([`${file} does not have the expected form`, ...problems.slice(0, 10)].join('\n'));
}

interface Options {
  readonly release?: Release;
}

function vectors(file: string, { release }: Options): void {
  for (const { name, expression, device } of checked(file, vectorsShape)) {
    const selector = compile(expression, release ? { release } : {});
    const match =
      selector.kind === 'Compiled' ? selector.matches(buildDevice(device as DeviceFields)) : 'compile-error';
    const result = typeof match === 'object' ? 'runtime-error' : match;
    console.log(JSON.stringify({ name, result }));
  }
}

interface EvalOptions extends Options {
  readonly device?: string;
  readonly class?: readonly string[];
}

/** Prints the answer of all selectors together; an error goes to stderr with status 1. */
function evaluate(rule: readonly string[], options: EvalOptions): void {
  const { release, device } = options;
  const fields = device === undefined ? { driver: '' } : (checked(device, deviceShape) as DeviceFields);
  const texts = { deviceClass: options.class ?? [], rule };
  const selectors = compileSelectors(texts, release ? { release } : {});
  if (selectors.kind === 'Refused') {
    failed(refusalText(texts, selectors));
    return;
  }
  const result = selectors.matches({ published: buildDevice(fields) });
  if (result.kind === 'Failed') failed(`error: ${result.reason}\n  in ${texts[result.at.of][result.at.index]}`);
  else console.log(result.kind === 'Selected');
}

function failed(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

/** The message, the line it is about, and a caret under the place. */
function refusalText(texts: Required<SelectorTexts>, { at, message, position }: RefusedSelectors): string {
  const line = texts[at.of][at.index]?.split('\n')[position.line - 1] ?? '';
  const before = line.slice(0, position.column - 1).replace(/[^\t]/gu, ' ');
  return [`refused at line ${position.line}, column ${position.column}: ${message}`, `  ${line}`, `  ${before}^`].join(
    '\n',
  );
}

const releaseOption = ['--release <release>', 'Kubernetes release whose language is meant', parseRelease] as const;
const program = new Command('cel').description('Evaluates DRA device selectors (CEL)').exitOverride();
program
  .command('vectors')
  .description('prints one line of JSON per vector: true, false, "compile-error" or "runtime-error"')
  .argument('<file>', 'JSON list of {name, expression, device}')
  .option(...releaseOption)
  .action(vectors);
program
  .command('eval')
  .description('prints true or false; a selector that fails or is refused is an error')
  .argument('<expression...>', 'selectors of a rule, all of which have to hold')
  .option('--class <expression...>', 'selectors of a device class, evaluated first')
  .option('--device <file>', 'JSON device in the spelling of a ResourceSlice')
  .option(...releaseOption)
  .action(evaluate);

try {
  program.parse();
} catch (error) {
  const isUsage = error instanceof CommanderError;
  if (!isUsage) console.error(error instanceof InputError ? `cel: ${error.message}` : error);
  process.exitCode = isUsage && error.exitCode === 0 ? 0 : badInput;
}
