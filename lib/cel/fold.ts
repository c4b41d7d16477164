// Runs comprehensions: every macro is a loop with an accumulator that is initialised when it is first read.
import type { Evaluation, Step } from './evaluation.ts';
import { CelError, CelList, CelMap, isError, typeName, type Value } from './values.ts';

export interface FoldPlan {
  readonly range: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly accuRegister: number;
  readonly iterRegister: number;
  /** Set for two-variable macros. */
  readonly iterRegister2: number | undefined;
}

export function foldStep(plan: FoldPlan): Step {
  return (run) => {
    const range = plan.range(run);
    if (isError(range)) return range;
    run.registers[plan.accuRegister] = undefined;
    if (range instanceof CelList) overList(run, plan, range);
    else if (range instanceof CelMap) overMap(run, plan, range);
    else return new CelError(`got '${typeName(range)}', expected iterable type`);
    return plan.result(run);
  };
}

function overList(run: Evaluation, plan: FoldPlan, list: CelList): void {
  const { iterRegister, iterRegister2, accuRegister } = plan;
  for (let index = 0; index < list.size; index++) {
    run.registers[iterRegister] = iterRegister2 === undefined ? list.at(index) : index;
    if (iterRegister2 !== undefined) run.registers[iterRegister2] = list.at(index);
    if (plan.condition(run) === false) return;
    run.registers[accuRegister] = plan.step(run);
    run.check();
  }
}

function overMap(run: Evaluation, plan: FoldPlan, map: CelMap): void {
  const { iterRegister, iterRegister2, accuRegister } = plan;
  for (const key of map.keys()) {
    run.registers[iterRegister] = key;
    if (iterRegister2 !== undefined) run.registers[iterRegister2] = map.get(key) ?? null;
    if (plan.condition(run) === false) return;
    run.registers[accuRegister] = plan.step(run);
    run.check();
  }
}

/** Reads an accumulator and computes its initial value on demand; an unused `cel.bind` variable is never evaluated. */
export function accumulatorStep(register: number, init: Step): Step {
  return (run) => {
    let value: Value | undefined = run.registers[register];
    if (value === undefined) {
      value = init(run);
      run.registers[register] = value;
    }
    return value;
  };
}
