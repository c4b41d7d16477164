// Compiles a device selector once and matches it against devices: true, false, or an error, never a guess.

import { type Recall, recallNothing } from '../model/recall.ts';
import { Abort } from './abort.ts';
import { check } from './check.ts';
import type { DeviceValue } from './device.ts';
import { type Gates, type Language, languageOf, newestRelease, type Release } from './environment.ts';
import { Evaluation } from './evaluation.ts';
import { costLimit } from './meter.ts';
import { parse } from './parse.ts';
import { type Program, plan } from './plan.ts';
import { type Position, positionOf, Refusal } from './refusal.ts';
import { typeText } from './types.ts';
import { validate } from './validate.ts';
import { type CelError, isError, type Value } from './values.ts';

/** An error is neither true nor false: the scheduler aborts the allocation attempt on one. */
export type Match = boolean | { readonly error: string };

export interface Compiled {
  readonly kind: 'Compiled';
  readonly expression: string;
  matches(device: DeviceValue): Match;
  /** Cost units that the last `matches` spent; at most 1,000,000 for an answer. */
  lastCost(): number;
}

export interface CompileError {
  readonly kind: 'CompileError';
  readonly message: string;
  readonly position: Position;
}

export interface CompileOptions {
  /** Kubernetes release that defines the language; default: the newest known. */
  readonly release?: Release;
  readonly gates?: Gates;
  /** Absent: nothing is cached between two calls. */
  readonly recall?: Recall;
}

/** API limit on `cel.expression` of a device selector, in bytes (resource.k8s.io, CELSelectorExpressionMaxLength). */
export const maxExpressionBytes = 10_240;

/** Never throws. Results are cached by expression, release and gates. */
export function compile(expression: string, options: CompileOptions = {}): Compiled | CompileError {
  const { release = newestRelease, gates = {}, recall = recallNothing } = options;
  const language = `${release} ${gates.DRAConsumableCapacity !== false} ${gates.DRAListTypeAttributes !== false}`;
  return recall('selector', `${language} ${expression}`, () =>
    compiled(
      expression,
      recall('selector language', language, () => languageOf({ release, gates })),
    ),
  );
}

const encoder = new TextEncoder();

function compiled(expression: string, language: Language): Compiled | CompileError {
  try {
    const size = expression.length > maxExpressionBytes ? expression.length : encoder.encode(expression).length;
    if (size > maxExpressionBytes) throw new Refusal(0, `the expression is longer than ${maxExpressionBytes} bytes`);
    return selector(expression, programOf(expression.toWellFormed(), language), language);
  } catch (error) {
    if (error instanceof Refusal) return refused(expression, error.message, error.at);
    if (error instanceof Abort) return refused(expression, error.message, 0);
    // A bug here must not evict a pod: the expression counts as unusable.
    return refused(expression, `internal error: ${error instanceof Error ? error.message : String(error)}`, 0);
  }
}

function refused(expression: string, message: string, at: number): CompileError {
  return { kind: 'CompileError', message, position: positionOf(expression, at) };
}

function programOf(expression: string, language: Language): Program {
  const root = parse(expression, language.macros);
  const checked = check(root, language.environment);
  validate(checked, root);
  const type = checked.types.get(root);
  if (type && type.kind !== 'bool' && type.kind !== language.attributeType.kind) {
    throw new Refusal(root.at, `must evaluate to bool or the type of an attribute, not ${typeText(type)}`);
  }
  return plan(checked, language);
}

function selector(expression: string, program: Program, language: Language): Compiled {
  let run: Evaluation | undefined;
  return {
    kind: 'Compiled',
    expression,
    matches(device) {
      if (device.problem) return { error: device.problem.message };
      if (device.hasLists && !language.listAttributes) return { error: 'unsupported attribute value' };
      run ??= new Evaluation(device, program.registers);
      run.begin(device);
      return evaluated(run, program);
    },
    lastCost: () => run?.cost ?? 0,
  };
}

function evaluated(run: Evaluation, program: Program): Match {
  try {
    const value = program.step(run);
    if (run.cost > costLimit) return { error: 'operation cancelled: actual cost limit exceeded' };
    return typeof value === 'boolean' ? value : { error: reasonOf(value) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function reasonOf(value: Value): string {
  return isError(value) ? (value as CelError).message : 'the result is not a bool';
}
