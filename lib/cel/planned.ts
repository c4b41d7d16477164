// A compiled node of a selector.
import type { Attribute } from './attribute.ts';
import type { Step } from './evaluation.ts';
import type { Value } from './values.ts';

/** Its step, its value if that is known, and its chain if more fields may follow. */
export interface Plan {
  readonly step: Step;
  readonly constant?: Value;
  readonly attribute?: Attribute;
}
