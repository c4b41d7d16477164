// Converts plans to attribute chains and back.
import { type Attribute, attributeStep, resolver } from './attribute.ts';
import type { Step } from './evaluation.ts';
import type { Plan } from './planned.ts';

/** A chain used as a key is not charged for its base. */
export function keyStep({ step, attribute }: Plan): Step {
  const isTest = attribute?.kind === 'Chain' && attribute.qualifiers.at(-1)?.testOnly === true;
  return attribute && !isTest ? resolver(attribute) : step;
}

/** Upstream expands `optMap` to a conditional, so that a field after it has no base cost. */
export function chosen(step: Step): Plan {
  const base: Attribute = { kind: 'Chain', base: step, qualifiers: [], ofDevice: false };
  return { step, attribute: { kind: 'Choice', condition: () => true, whenTrue: base, whenFalse: base } };
}

export function attributePlan(attribute: Attribute): Plan {
  return { step: attributeStep(attribute), attribute };
}

export function chainOf(planned: Plan): Attribute {
  return planned.attribute ?? { kind: 'Chain', base: planned.step, qualifiers: [], ofDevice: false };
}
