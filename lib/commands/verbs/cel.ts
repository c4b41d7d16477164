// `sluice cel`: evaluates DRA device selectors, either test vectors from a file or expressions on one device.
import * as z from 'zod';
import { buildDevice, type DeviceFields } from '../../cel/device.ts';
import { type Release, releases } from '../../cel/environment.ts';
import { compileSelectors, type RefusedSelectors, type SelectorTexts } from '../../cel/selection.ts';
import { compile } from '../../cel/selector.ts';
import { readTextFile } from '../../config/textFile.ts';
import { whyUnreadable } from '../../model/whyUnreadable.ts';
import type { Call, Flags } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag, textsFlag } from '../flags.ts';
import { line } from '../io.ts';

const deviceShape = z.looseObject({ driver: z.string().default('') });
const vectorsShape = z.array(
  z.looseObject({ name: z.string(), expression: z.string(), device: deviceShape.default({ driver: '' }) }),
);

export async function run({ args: [what, ...rest], flags, io }: Call): Promise<number> {
  const print = (text: string) => line(io.out, text);
  const release = releaseOf(flags);
  if (what === 'vectors') printVectors(rest, release, print);
  else print(evaluate(rest, { release, flags }));
  return 0;
}

function releaseOf(flags: Flags): { readonly release?: Release } {
  const text = textFlag(flags, 'release');
  if (text === undefined) return {};
  const release = releases.find((known) => known === text);
  if (!release) throw new UsageFailure(`--release is ${text}; known releases are ${releases.join(', ')}`);
  return { release };
}

function printVectors(
  files: readonly string[],
  release: { readonly release?: Release },
  print: (text: string) => void,
): void {
  const [file] = files;
  if (file === undefined || files.length > 1) throw new UsageFailure('cel vectors takes one file');
  for (const { name, expression, device } of checked(file, vectorsShape)) {
    const selector = compile(expression, release);
    const match =
      selector.kind === 'Compiled' ? selector.matches(buildDevice(device as DeviceFields)) : 'compile-error';
    print(JSON.stringify({ name, result: typeof match === 'object' ? 'runtime-error' : match }));
  }
}

/** `true` if all selectors match the device. Throws if one is refused or fails. */
function evaluate(
  rule: readonly string[],
  { release, flags }: { readonly release: { readonly release?: Release }; readonly flags: Flags },
): string {
  if (rule.length === 0) throw new UsageFailure('cel eval takes an expression');
  const file = textFlag(flags, 'device');
  const fields = file === undefined ? { driver: '' } : (checked(file, deviceShape) as DeviceFields);
  const texts = { deviceClass: textsFlag(flags, 'class'), rule };
  const selectors = compileSelectors(texts, release);
  if (selectors.kind === 'Refused') throw new Failure(refusalText(texts, selectors));
  const result = selectors.matches({ published: buildDevice(fields) });
  if (result.kind === 'Failed') throw new Failure(`${result.reason} in ${texts[result.at.of][result.at.index]}`);
  return String(result.kind === 'Selected');
}

/** The message, and the source line with `>>>` at the refused position. */
function refusalText(texts: Required<SelectorTexts>, { at, message, position }: RefusedSelectors): string {
  const text = texts[at.of][at.index]?.split('\n')[position.line - 1] ?? '';
  const place = `${text.slice(0, position.column - 1)} >>> ${text.slice(position.column - 1)}`;
  return `refused at line ${position.line}, column ${position.column}: ${message}\n${place}`;
}

/** Keeps integers beyond the safe range as text, so that parsing does not round them. */
function readJson(file: string): unknown {
  const text = readText(file);
  try {
    return JSON.parse(text, (_, value, { source } = { source: '' }) => {
      const rounded = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
      return rounded && /^-?[0-9]+$/.test(source ?? '') ? source : value;
    });
  } catch (error) {
    throw new UsageFailure(`${file} is not JSON: ${messageOf(error)}`);
  }
}

function readText(file: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    throw new Failure(`${file}: ${whyUnreadable(error)}`, 'specify a JSON file');
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function checked<T>(file: string, shape: z.ZodType<T>): T {
  const result = shape.safeParse(readJson(file));
  if (result.success) return result.data;
  const [first] = result.error.issues;
  throw new UsageFailure(
    `${file} does not have the expected form: ${first?.path.join('.') || 'the file'}: ${first?.message}`,
  );
}
