// What compiling a part of an expression yields.
import type { Attribute } from './attribute.ts';
import type { Step } from './evaluation.ts';
import type { Value } from './values.ts';

/** A compiled node: its step, its value if that is known, and its chain if more fields may follow. */
export interface Plan {
  readonly step: Step;
  readonly constant?: Value;
  readonly attribute?: Attribute;
}

export function constantPlan(value: Value): Plan {
  return { step: () => value, constant: value };
}
