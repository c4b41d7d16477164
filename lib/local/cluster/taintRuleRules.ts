// API server behaviour for DeviceTaintRules: timeAdded, its update on a change of effect, validation of taint and conditions.
import { invalidValue, labelNameErrors, notSupported, required } from './names.ts';
import { at, type KubeObject, listAt, mapAt, same, textAt } from './object.ts';
import type { FieldError, ResourceRules } from './resourceType.ts';
import { timestamp } from './timestamps.ts';

const effects = ['NoExecute', 'NoSchedule', 'None'];
const conditionStatuses = ['False', 'True', 'Unknown'];
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const reasonRule =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', " +
  "and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or " +
  "'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";

export const taintRuleRules: ResourceRules = {
  applyDefaults(rule, now) {
    return at(rule, 'spec', 'taint', 'timeAdded') ? rule : withTimeAdded(rule, now);
  },
  initialStatus: () => ({}),
  /** Since 1.36, a changed effect with an unchanged timeAdded gets a new timeAdded, which restarts tolerationSeconds. */
  prepareForUpdate(next, old, now) {
    const [before, after] = [mapAt(old, 'spec', 'taint') ?? {}, mapAt(next, 'spec', 'taint') ?? {}];
    const effectChanged = before.effect !== after.effect;
    return effectChanged && before.timeAdded === after.timeAdded ? withTimeAdded(next, now) : next;
  },
  validate(rule, old) {
    return [...taintErrors(rule, old), ...conditionErrors(rule)];
  },
};

function withTimeAdded(rule: KubeObject, now: number): KubeObject {
  const spec = mapAt(rule, 'spec') ?? {};
  return { ...rule, spec: { ...spec, taint: { ...mapAt(spec, 'taint'), timeAdded: timestamp(now) } } };
}

/** An effect that is already stored remains valid. */
function taintErrors(rule: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const effect = textAt(rule, 'spec', 'taint', 'effect') ?? '';
  const errors = [...labelNameErrors('spec.taint.key', textAt(rule, 'spec', 'taint', 'key') ?? '')];
  if (old && same(effect, at(old, 'spec', 'taint', 'effect'))) return errors;
  if (!effect) errors.push(required('spec.taint.effect'));
  else if (!effects.includes(effect)) errors.push(notSupported('spec.taint.effect', effect, effects));
  return errors;
}

/** Validation of metav1.Condition, with at most 8 conditions. */
function conditionErrors(rule: KubeObject): readonly FieldError[] {
  const conditions = listAt(rule, 'status', 'conditions');
  const errors = conditions.flatMap((condition, index) => oneConditionErrors(condition, `status.conditions[${index}]`));
  if (conditions.length <= 8) return errors;
  const message = `Too many: ${conditions.length}: must have at most 8 items`;
  return [...errors, { field: 'status.conditions', reason: 'FieldValueTooMany', message }];
}

function oneConditionErrors(condition: unknown, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const text = (name: string) => textAt(condition, name) ?? '';
  if (!text('type')) errors.push(required(`${field}.type`, 'must be set'));
  if (!conditionStatuses.includes(text('status'))) {
    errors.push(notSupported(`${field}.status`, text('status'), conditionStatuses));
  }
  if (!text('lastTransitionTime')) errors.push(required(`${field}.lastTransitionTime`));
  if (!text('reason')) errors.push(required(`${field}.reason`));
  else if (!reasonPattern.test(text('reason'))) {
    errors.push(invalidValue(`${field}.reason`, text('reason'), reasonRule));
  }
  return errors;
}
