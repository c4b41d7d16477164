// Compiles a function call: selects the implementation at compile time or run time, checks argument types, charges the cost.

import { recallNothing } from '../model/recall.ts';
import type { ResolvedCall } from './checking.ts';
import type { Cost, Implementation, Overload } from './declare.ts';
import type { Evaluation, Step } from './evaluation.ts';
import { fits, fitterOf } from './fits.ts';
import { foldedConversions } from './library/conversions.ts';
import { regexFunctions, searchWith } from './library/regexes.ts';
import { constantMembership } from './membership.ts';
import { Meter } from './meter.ts';
import { compiledPattern } from './pattern.ts';
import type { Plan } from './planned.ts';
import { Refusal } from './refusal.ts';
import { CelList, isError, noSuchOverload, type Value } from './values.ts';

export interface CallSite {
  readonly at: number;
  readonly call: ResolvedCall;
  readonly args: readonly Plan[];
}

export function callPlan(site: CallSite): Plan {
  const { declaration, overloads } = site.call;
  const [first, second] = site.args;
  if (declaration.name === '@not_strictly_false' && first) return { step: notStrictlyFalse(first.step) };
  if (overloads.length === 1 && overloads[0]?.id === 'in_list' && second?.constant instanceof CelList && first) {
    const member = constantMembership(first.step, second.constant);
    if (member) return member;
  }
  if (foldedConversions.has(declaration.name) && first?.constant !== undefined) return folded(site, first.constant);
  const steps = site.args.map((arg) => arg.step);
  const step = callStep(implementationOf(site), steps, costOf(site.call));
  const allConstant = site.args.every((arg) => arg.constant !== undefined);
  return { step: allConstant ? remembered(step) : step };
}

interface Known {
  readonly value: Value;
  readonly cost: number;
  readonly work: number;
}

/** Equal arguments give the same value and cost, so the value is computed once and its cost charged every time. */
function remembered(step: Step): Step {
  let known: Known | undefined;
  return (run) => {
    if (known) {
      run.cost += known.cost;
      if (known.work > 0) run.work(known.work);
      return known.value;
    }
    const { cost, worked } = run;
    const value = step(run);
    known = { value, cost: run.cost - cost, work: run.worked - worked };
    return value;
  };
}

/** Only a definite false is false; an error counts as true, so that a quantifier continues. */
function notStrictlyFalse(step: Step): Step {
  return (run) => {
    const value = step(run);
    run.cost += 1;
    return typeof value === 'boolean' ? value : true;
  };
}

/** A conversion of a constant is evaluated at compile time; if it fails, the expression is refused, as upstream. */
function folded(site: CallSite, argument: Value): Plan {
  const value = implementationOf(site)(new Meter(), argument, argument, undefined, undefined);
  if (isError(value)) throw new Refusal(site.at, value.message);
  return { step: () => value, constant: value };
}

function implementationOf(site: CallSite): Implementation {
  const { declaration, overloads } = site.call;
  const pattern = site.args[1]?.constant;
  if (regexFunctions.has(declaration.name) && typeof pattern === 'string') return constantSearch(site, pattern);
  if (declaration.run) return declaration.run;
  const [only] = overloads;
  if (overloads.length === 1 && only?.run)
    return declaration.unguarded ? only.run : guarded(declaration.name, only, only.run);
  return dispatched(declaration.name, declaration.overloads, declaration.unguarded === true);
}

function constantSearch(site: CallSite, text: string): Implementation {
  const pattern = compiledPattern(text, recallNothing);
  if ('message' in pattern) throw new Refusal(site.at, pattern.message);
  return searchWith(site.call.declaration.name, pattern);
}

/** Checks arguments of dynamic static type before the implementation is called. */
function guarded(name: string, overload: Overload, run: Implementation): Implementation {
  const [first, second, third, fourth] = overload.args.map(fitterOf);
  return (meter, a, b, c, d) => {
    const ok = (!first || first(a)) && (!second || second(b)) && (!third || third(c)) && (!fourth || fourth(d));
    return ok ? run(meter, a, b, c, d) : noSuchOverload(name, ...given(overload.args.length, [a, b, c, d]));
  };
}

function given(count: number, values: readonly (Value | undefined)[]): readonly Value[] {
  return values.slice(0, count).map((value) => value ?? null);
}

/** Selects the first overload that matches the arguments' run-time types. */
function dispatched(name: string, overloads: readonly Overload[], unguarded: boolean): Implementation {
  return (meter, a, b, c, d) => {
    const values = [a, b, c, d];
    const count = values.indexOf(undefined);
    const args = count < 0 ? values : values.slice(0, count);
    const found = overloads.find(({ run, args: types }) => {
      return (
        run && types.length === args.length && (unguarded || types.every((type, index) => fits(type, args[index])))
      );
    });
    return found?.run ? found.run(meter, a, b, c, d) : noSuchOverload(name, ...given(args.length, values));
  };
}

function costOf({ declaration, overloads }: ResolvedCall): Cost | undefined {
  const [only] = overloads;
  return (overloads.length === 1 ? only?.cost : undefined) ?? declaration.cost;
}

function callStep(run: Implementation, args: readonly Step[], cost: Cost | undefined): Step {
  const [first, second] = args;
  if (!first) return zeroArguments(run, cost);
  if (!second) return oneArgument(run, first, cost);
  return args.length === 2 ? twoArguments(run, [first, second], cost) : manyArguments(run, args, cost);
}

function zeroArguments(run: Implementation, cost: Cost | undefined): Step {
  return (evaluation) => {
    const result = run(evaluation, null, null, undefined, undefined);
    evaluation.cost += cost ? cost([], result) : 1;
    return result;
  };
}

function oneArgument(run: Implementation, step: Step, cost: Cost | undefined): Step {
  return (evaluation) => {
    const a = step(evaluation);
    const result = isError(a) ? a : run(evaluation, a, undefined as never, undefined, undefined);
    evaluation.cost += cost ? cost([a], result) : 1;
    return result;
  };
}

function twoArguments(run: Implementation, [first, second]: readonly [Step, Step], cost: Cost | undefined): Step {
  return (evaluation) => {
    const a = first(evaluation);
    const b = second(evaluation);
    const result = isError(a) ? a : isError(b) ? b : run(evaluation, a, b, undefined, undefined);
    evaluation.cost += cost ? cost([a, b], result) : 1;
    return result;
  };
}

/** Stops at the first error without charging for the call. */
function manyArguments(run: Implementation, steps: readonly Step[], cost: Cost | undefined): Step {
  return (evaluation: Evaluation) => {
    const values: Value[] = [];
    for (const step of steps) {
      const value = step(evaluation);
      if (isError(value)) return value;
      values.push(value);
    }
    const [a = null, b = null, c, d] = values;
    const result = run(evaluation, a, b, c, d);
    evaluation.cost += cost ? cost(values, result) : 1;
    return result;
  };
}
