// Runs comprehensions: every macro is a loop with an accumulator that is initialised when it is first read.
import type { Evaluation, Step } from './evaluation.ts';
import { CelError, CelList, CelMap, isError, typeName, type Value } from './values.ts';

export interface FoldPlan {
  readonly range: Step;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly accuSlot: number;
  readonly iterSlot: number;
  /** Set for two-variable macros. */
  readonly iterSlot2: number | undefined;
}

export function foldStep(plan: FoldPlan): Step {
  return (run) => {
    const range = plan.range(run);
    if (isError(range)) return range;
    run.slots[plan.accuSlot] = undefined;
    if (range instanceof CelList) overList(run, plan, range);
    else if (range instanceof CelMap) overMap(run, plan, range);
    else return new CelError(`got '${typeName(range)}', expected iterable type`);
    return plan.result(run);
  };
}

function overList(run: Evaluation, plan: FoldPlan, list: CelList): void {
  const { iterSlot, iterSlot2, accuSlot } = plan;
  for (let index = 0; index < list.size; index++) {
    run.slots[iterSlot] = iterSlot2 === undefined ? list.at(index) : index;
    if (iterSlot2 !== undefined) run.slots[iterSlot2] = list.at(index);
    if (plan.condition(run) === false) return;
    run.slots[accuSlot] = plan.step(run);
    run.check();
  }
}

function overMap(run: Evaluation, plan: FoldPlan, map: CelMap): void {
  const { iterSlot, iterSlot2, accuSlot } = plan;
  for (const key of map.keys()) {
    run.slots[iterSlot] = key;
    if (iterSlot2 !== undefined) run.slots[iterSlot2] = map.get(key) ?? null;
    if (plan.condition(run) === false) return;
    run.slots[accuSlot] = plan.step(run);
    run.check();
  }
}

/** Reads an accumulator and computes its initial value on demand; an unused `cel.bind` variable is never evaluated. */
export function accumulatorStep(slot: number, init: Step): Step {
  return (run) => {
    let value: Value | undefined = run.slots[slot];
    if (value === undefined) {
      value = init(run);
      run.slots[slot] = value;
    }
    return value;
  };
}
