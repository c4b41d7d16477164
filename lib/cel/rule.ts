// Compiles a validation rule of a CustomResourceDefinition, which reads one variable, `self`.
import { check } from './check.ts';
import { buildDevice } from './device.ts';
import { languageOf, newestRelease } from './environment.ts';
import { Evaluation } from './evaluation.ts';
import { parse } from './parse.ts';
import { plan } from './plan.ts';
import { dyn } from './types.ts';
import { validate } from './validate.ts';
import { isError, type Value } from './values.ts';

/** Computes the value of the expression for a value of `self`. */
export type RuleProgram = (self: Value) => Value;

/** Rules never read a device. */
const noDevice = buildDevice({ driver: '' });

/** Throws a `Refusal` for an expression that cannot be compiled; the program throws if the evaluation fails. */
export function compileRule(expression: string): RuleProgram {
  const language = languageOf({ release: newestRelease, gates: {} });
  const environment = { ...language.environment, variables: new Map([['self', dyn]]) };
  const root = parse(expression, language.macros);
  const checked = check(root, environment);
  validate(checked, root);
  const { step, registers } = plan(checked, language, ['self']);
  const run = new Evaluation(noDevice, registers);
  return (self) => {
    run.begin(noDevice);
    run.registers[0] = self;
    const value = step(run);
    if (isError(value)) throw new Error(`${expression}: ${value.message}`);
    return value;
  };
}
