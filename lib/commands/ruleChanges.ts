// Difference between an existing rule and the one requested by `taint` or `drain`, as text and as a merge patch; pure.
import { isDeepStrictEqual } from 'node:util';
import { type Json, listOf, objectOf, textOf } from '../adapters/kubernetes/read.ts';
import { taintText } from '../decide/taintText.ts';
import { annotationsOf } from './get/policies.ts';
import { selectorOf } from './get/rules.ts';
import { subjectAnnotation } from './madeRules.ts';

/** Texts such as `from 1/s to 0.001/s`; empty if the rule already matches the request. Other fields of the rule are ignored. */
export function changesOf(found: Json, asked: Json): readonly string[] {
  const [was, is] = [taintOf(found, asked), taintOf(asked, asked) ?? {}];
  const wasFor = annotationsOf(found)[subjectAnnotation];
  const isFor = annotationsOf(asked)[subjectAnnotation];
  return [
    ...(isDeepStrictEqual(objectOf(found.spec).deviceSelector, objectOf(asked.spec).deviceSelector)
      ? []
      : [`from ${selectorOf(found)} to ${selectorOf(asked)}`]),
    ...(was === undefined ? [`from no taint to ${text(is)}`] : taintChanges(was, is)),
    ...(wasFor === isFor ? [] : [`from subject ${wasFor ?? 'none'} to subject ${isFor}`]),
  ];
}

function taintChanges(was: Json, is: Json): readonly string[] {
  const rate = ({ evictionsPerSecond: one }: Json) => (one === undefined ? 'the default rate' : `${one}/s`);
  const burst = ({ burst: one }: Json) => (one === undefined ? 'the default burst' : `burst ${one}`);
  return [text, rate, burst].flatMap((say) => (say(was) === say(is) ? [] : [`from ${say(was)} to ${say(is)}`]));
}

/** Removes members that are not requested, by `null`. */
export function selectorPatch(found: Json, asked: Json): Json {
  const removed = Object.keys(objectOf(objectOf(found.spec).deviceSelector)).map((name) => [name, null]);
  return { ...Object.fromEntries(removed), ...objectOf(objectOf(asked.spec).deviceSelector) };
}

/** The complete list, because a merge patch replaces lists. Keeps the other taints and this taint's description. */
export function taintsPatch(found: Json, asked: Json): readonly Json[] {
  const mine = taintOf(found, asked);
  const { value: _value, evictionsPerSecond: _rate, burst: _burst, ...others } = mine ?? {};
  const wanted = { ...others, ...taintOf(asked, asked) };
  const all = listOf(objectOf(found.spec).taints);
  return mine === undefined ? [...all, wanted] : all.map((one) => (isAsked(one, asked) ? wanted : one));
}

/** Whether the taint has the requested key and effect. */
function isAsked({ key, effect }: Json, asked: Json): boolean {
  const [wanted = {}] = listOf(objectOf(asked.spec).taints);
  return key === wanted.key && effect === wanted.effect;
}

const taintOf = (rule: Json, asked: Json) => listOf(objectOf(rule.spec).taints).find((taint) => isAsked(taint, asked));

const text = ({ key, value, effect }: Json) =>
  taintText({ key: String(key), value: textOf(value) ?? '', effect: String(effect) });
