// What differs between a rule that exists and the one that `taint` or `drain` asks for, in words and as a merge patch; pure.
import { isDeepStrictEqual } from 'node:util';
import { type Json, listOf, objectOf, textOf } from '../adapters/kubernetes/read.ts';
import { taintText } from '../decide/taintText.ts';
import { annotationsOf } from './get/policies.ts';
import { selectorOf } from './get/rules.ts';
import { subjectAnnotation } from './madeRules.ts';

/** `from 1/s to 0.001/s`; empty where the rule does what is asked for. What else others wrote on it does not count. */
export function changesOf(found: Json, asked: Json): readonly string[] {
  const [was, is] = [taintOf(found, asked), taintOf(asked, asked) ?? {}];
  const wasFor = annotationsOf(found)[subjectAnnotation];
  const isFor = annotationsOf(asked)[subjectAnnotation];
  return [
    ...(isDeepStrictEqual(objectOf(found.spec).deviceSelector, objectOf(asked.spec).deviceSelector)
      ? []
      : [`from ${selectorOf(found)} to ${selectorOf(asked)}`]),
    ...(was === undefined ? [`from no taint to ${text(is)}`] : taintChanges(was, is)),
    ...(wasFor === isFor ? [] : [`from made for ${wasFor ?? 'nothing'} to made for ${isFor}`]),
  ];
}

function taintChanges(was: Json, is: Json): readonly string[] {
  const rate = ({ evictionsPerSecond: one }: Json) => (one === undefined ? 'the default rate' : `${one}/s`);
  const burst = ({ burst: one }: Json) => (one === undefined ? 'the default burst' : `burst ${one}`);
  return [text, rate, burst].flatMap((say) => (say(was) === say(is) ? [] : [`from ${say(was)} to ${say(is)}`]));
}

/** Members that are not asked for are removed. */
export function selectorPatch(found: Json, asked: Json): Json {
  const removed = Object.keys(objectOf(objectOf(found.spec).deviceSelector)).map((name) => [name, null]);
  return { ...Object.fromEntries(removed), ...objectOf(objectOf(asked.spec).deviceSelector) };
}

/** The whole list: a merge patch replaces it. The other taints, and a description of this one, stay. */
export function taintsPatch(found: Json, asked: Json): readonly Json[] {
  const mine = taintOf(found, asked);
  const { value: _value, evictionsPerSecond: _rate, burst: _burst, ...others } = mine ?? {};
  const wanted = { ...others, ...taintOf(asked, asked) };
  const all = listOf(objectOf(found.spec).taints);
  return mine === undefined ? [...all, wanted] : all.map((one) => (isAsked(one, asked) ? wanted : one));
}

/** Has the key and the effect that are asked for. */
function isAsked({ key, effect }: Json, asked: Json): boolean {
  const [wanted = {}] = listOf(objectOf(asked.spec).taints);
  return key === wanted.key && effect === wanted.effect;
}

const taintOf = (rule: Json, asked: Json) => listOf(objectOf(rule.spec).taints).find((taint) => isAsked(taint, asked));

const text = ({ key, value, effect }: Json) =>
  taintText({ key: String(key), value: textOf(value) ?? '', effect: String(effect) });
