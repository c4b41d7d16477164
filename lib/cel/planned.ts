// The result of compiling a part of an expression.
import type { Attribute } from './attribute.ts';
import type { Step } from './evaluation.ts';
import type { Value } from './values.ts';

/** A compiled node: its step, its value if constant, and its attribute if more fields may follow. */
export interface Plan {
  readonly step: Step;
  readonly constant?: Value;
  readonly attribute?: Attribute;
}

export function constantPlan(value: Value): Plan {
  return { step: () => value, constant: value };
}
