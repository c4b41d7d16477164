// Operators with special evaluation: they absorb errors, skip operands, or compare any two values.

import { equals } from './compare.ts';
import { equality, equalityOfText, ofShorter } from './costs.ts';
import type { Evaluation, Step } from './evaluation.ts';
import { accumulatorStep } from './fold.ts';
import type { Plan } from './planned.ts';
import { CelError, CelOptional, isError, none, noSuchOverload, type Value } from './values.ts';

/** False as soon as one operand is false; otherwise the first error; a value that is not a bool is an error. */
export function conjunction(steps: readonly Step[]): Step {
  return (run) => junction(run, steps, false);
}

/** True as soon as one operand is true. */
export function disjunction(steps: readonly Step[]): Step {
  return (run) => junction(run, steps, true);
}

function junction(run: Evaluation, steps: readonly Step[], decisive: boolean): Value {
  let error: Value | undefined;
  for (let index = 0; index < steps.length; index++) {
    const value = steps[index]?.(run) ?? null;
    if (value === decisive) return value;
    if (typeof value !== 'boolean') error ??= isError(value) ? value : noSuchOverload('logical operator', value);
  }
  return error ?? !decisive;
}

export function equation(left: Plan, right: Plan, positive: boolean): Step {
  const [first, second] = [left.step, right.step];
  const { constant } = right;
  return typeof constant === 'string' || typeof constant === 'number' || typeof constant === 'boolean'
    ? plainEquation(first, constant, positive)
    : (run) => equated(run, { x: first(run), y: second(run), positive });
}

/** `field == "text"` and similar, the most common clause: the cost of comparing with the constant is known in advance. */
function plainEquation(left: Step, constant: string | number | boolean, positive: boolean): Step {
  const cost = equality(constant, constant);
  return (run) => {
    const x = left(run);
    if (x !== constant) return equated(run, { x, y: constant, positive });
    run.cost += cost;
    return positive;
  };
}

interface Equation {
  readonly x: Value;
  readonly y: Value;
  readonly positive: boolean;
}

function equated(run: Evaluation, { x, y, positive }: Equation): Value {
  if (typeof x === 'string' && typeof y === 'string') {
    run.cost += equalityOfText(x, y);
    return (x === y) === positive;
  }
  run.cost += positive ? equality(x, y) : ofShorter([x, y]);
  if (isError(x)) return x;
  if (isError(y)) return y;
  const equal = equals(run, x, y);
  return positive ? equal : equal !== true;
}

/** `or` and `orValue`: the alternative is evaluated only for none. `lax`: a value that is not an optional is returned unchanged. */
export function orElse(
  target: Step,
  alternative: Step,
  { unwrap, lax }: { readonly unwrap: boolean; readonly lax: boolean },
): Step {
  return (run) => {
    const value = target(run);
    if (isError(value)) return value;
    if (!(value instanceof CelOptional)) return lax ? value : new CelError('no such overload');
    if (value.value === undefined) return alternative(run);
    return unwrap ? value.value : value;
  };
}

/** Registers for the unread value, the cost of reading it, and the value once read. */
export interface OptionalRegisters {
  readonly waiting: number;
  readonly cost: number;
  readonly read: number;
}

/** Reads the variable of `optMap`. Upstream evaluates the target again for the first read; here only its cost is charged. */
export function optionalVariable({ waiting, cost, read }: OptionalRegisters): Step {
  return accumulatorStep(read, (run) => {
    run.cost += Number(run.registers[cost] ?? 0);
    return run.registers[waiting] ?? null;
  });
}

export interface OptionalMapPlan {
  readonly target: Step;
  readonly registers: OptionalRegisters;
  readonly body: Step;
  readonly flat: boolean;
}

export function optionalMapStep({ target, registers, body, flat }: OptionalMapPlan): Step {
  return (run) => {
    const before = run.cost;
    const value = target(run);
    run.cost += 1;
    if (isError(value)) return value;
    if (!(value instanceof CelOptional)) return noSuchOverload('hasValue', value);
    if (value.value === undefined) {
      run.cost += 1;
      return none;
    }
    run.registers[registers.waiting] = value.value;
    run.registers[registers.cost] = run.cost - before;
    run.registers[registers.read] = undefined;
    run.check();
    const result = body(run);
    if (flat || isError(result)) return result;
    run.cost += 1;
    return new CelOptional(result);
  };
}
