// Evaluates device selectors from the command line: a file of test vectors, or one expression on one device.
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import * as z from 'zod';
import { buildDevice, type DeviceFields } from '../lib/cel/device.ts';
import { type Release, releases } from '../lib/cel/environment.ts';
import { compile } from '../lib/cel/selector.ts';

/** Exit code for input that cannot be used at all. */
const badInput = 2;

const deviceShape = z.looseObject({ driver: z.string() });
const vectorsShape = z.array(z.looseObject({ name: z.string(), expression: z.string(), device: deviceShape }));

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

function evaluate(expression: string, { release, device }: Options & { readonly device?: string }): void {
  const fields = device === undefined ? { driver: '' } : (checked(device, deviceShape) as DeviceFields);
  const selector = compile(expression, release ? { release } : {});
  if (selector.kind === 'CompileError') {
    const { line, column } = selector.position;
    console.error(`refused at line ${line}, column ${column}: ${selector.message}`);
    process.exitCode = 1;
    return;
  }
  const match = selector.matches(buildDevice(fields));
  if (typeof match === 'object') {
    console.error(`error: ${match.error}`);
    process.exitCode = 1;
  } else console.log(match);
}

const releaseOption = ['--release <release>', 'Kubernetes release whose language is meant', parseRelease] as const;
const program = new Command('cel').description('Evaluates DRA device selectors (CEL)').exitOverride();
program
  .command('vectors')
  .argument('<file>', 'JSON list of {name, expression, device}')
  .option(...releaseOption)
  .action(vectors);
program
  .command('eval')
  .argument('<expression>')
  .option('--device <file>', 'JSON device in the spelling of a ResourceSlice')
  .option(...releaseOption)
  .action(evaluate);

try {
  program.parse();
} catch (error) {
  if (error instanceof InputError) console.error(`cel: ${error.message}`);
  const code = error instanceof Error && 'exitCode' in error ? Number(error.exitCode) : badInput;
  process.exitCode = code === 0 ? 0 : badInput;
}
