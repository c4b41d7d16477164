// `sluice get rules`: DeviceTaintRules and PacedTaintRules with the states from their conditions.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import { type Json, listOf, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { pacedRuleResource, type Resource, ruleResource } from '../../adapters/kubernetes/servedVersion.ts';
import { taintText } from '../../decide/taintText.ts';
import { type PacedTaint, projectedFromLabel } from '../../model/rule.ts';
import { namesStops } from '../../model/stop.ts';
import { countText, selectorText } from '../../view/words.ts';
import { findObject, listObjects, nameOf, type Scope } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { requireServed } from '../cluster/served.ts';
import { Failure, NotFound, UsageFailure } from '../failure.ts';
import { requireName } from '../flags.ts';
import { nearestHelp } from '../nearest.ts';
import type { Found } from '../output/print.ts';
import { ageOf } from './age.ts';

export const ruleKinds: Readonly<Record<string, Resource>> = {
  DeviceTaintRule: ruleResource,
  PacedTaintRule: pacedRuleResource,
};

/** Parses `NAME`, `Kind/NAME` or `kind/NAME`; a bare name matches both kinds. */
export function parseRuleName(text: string): { readonly kind?: string; readonly name: string } {
  const [first = '', second, ...more] = text.split('/');
  if (second === undefined) return { name: requireName(first) };
  const kind = Object.keys(ruleKinds).find((one) => one.toLowerCase() === first.toLowerCase().replace(/s$/, ''));
  if (kind === undefined)
    throw new UsageFailure(`${first} is not a kind of rule`, 'use DeviceTaintRule/NAME or PacedTaintRule/NAME');
  return { kind, name: requireName([second, ...more].join('/')) };
}

/** Without native rules that Sluice projected from PacedTaintRules. */
export async function listRules(cluster: OpenCluster, scope: Scope = {}): Promise<readonly Json[]> {
  await requireServed(cluster, ruleResource);
  const found = await Promise.all(Object.values(ruleKinds).map((one) => listObjects(cluster, one, scope)));
  return found.flat().filter(isWrittenRule);
}

export function isWrittenRule(rule: Json): boolean {
  return objectOf(objectOf(rule.metadata).labels)[projectedFromLabel] === undefined;
}

/** The rule of that name; throws if there is none, or one of each kind. */
export async function requireRule(cluster: OpenCluster, text: string): Promise<Json> {
  const { kind, name } = parseRuleName(text);
  const kinds = kind === undefined ? Object.keys(ruleKinds) : [kind];
  const found = await Promise.all(kinds.map((one) => findObject(cluster, ruleKinds[one] ?? ruleResource, { name })));
  const rules = found.flatMap((one) => (one ? [one] : []));
  if (rules.length > 1)
    throw new Failure(
      `${name} is a DeviceTaintRule and a PacedTaintRule`,
      `specify one of them, such as PacedTaintRule/${name}`,
    );
  const [rule] = rules;
  if (rule) return rule;
  const known = (await listRules(cluster)).map(nameOf);
  throw new NotFound(
    `there is no rule ${text} in context ${cluster.context}`,
    nearestHelp(name, known, 'sluice get rules'),
  );
}

export function resourceOfRule(rule: Json): Resource {
  return rule.kind === 'PacedTaintRule' ? pacedRuleResource : ruleResource;
}

export function taintsWritten(rule: Json): readonly PacedTaint[] {
  const spec = objectOf(rule.spec);
  const taints = rule.kind === 'PacedTaintRule' ? listOf(spec.taints) : [objectOf(spec.taint)];
  return taints.map((one) => ({
    key: textOf(one.key) ?? '',
    value: textOf(one.value) ?? '',
    effect: textOf(one.effect) ?? '',
    ...(textOf(one.description) ? { description: textOf(one.description) ?? '' } : {}),
  }));
}

/** Whether the whole cluster is stopped; a condition may still have the stop ten seconds after its end. */
export type StopKnown = boolean | 'Unknown';

/** State from the rule's conditions, the most important first. */
export function stateOfRule(rule: Json, isStopped: StopKnown): string {
  return standingOf(rule, isStopped).state;
}

/** Message of the condition that gives the state. `stopped`: sentence about a stop of the whole cluster. */
export function messageOf(rule: Json, isStopped: StopKnown, stopped?: string): string {
  const { state, message } = standingOf(rule, isStopped);
  return stopped !== undefined && state === heldByStop ? stopped : message;
}

/** Reasons of EvictionInProgress that do not mean that another controller evicts. */
const plainReasons: ReadonlySet<string> = new Set([
  '',
  'PodsPendingEviction',
  'Completed',
  'NotStarted',
  'NoEffect',
  'OtherEffect',
]);

/** Why Sluice evicts none of the rule's pods now, from the conditions; absent if the conditions give no such reason. */
export function heldMessage(rule: Json): string | undefined {
  const { state, message } = standingOf(rule, 'Unknown');
  if (state.startsWith('Held') || state === 'Paused') return message;
  const conditions = conditionsOf(rule);
  const unowned = conditions.find(({ type, reason }) => type === 'EvictionInProgress' && !plainReasons.has(reason));
  return (unowned ?? conditions.find(({ type, reason }) => type === 'sluice.dev/Pacing' && reason === 'NotPaced'))
    ?.message;
}

const heldByStop = 'Held: Stopped';

function standingOf(rule: Json, isStopped: StopKnown): { readonly state: string; readonly message: string } {
  const conditions = conditionsOf(rule);
  const of = (type: string) => conditions.find((one) => one.type === type);
  const said = (state: string, ...by: readonly (ReturnType<typeof of> | undefined)[]) => ({
    state,
    message: by.flatMap((one) => one?.message || [])[0] ?? '',
  });
  const isOver = (one: ReturnType<typeof of>) =>
    isStopped === false && one?.reason === 'Stopped' && namesStops(one.message);
  const current = (type: string) => (isOver(of(type)) ? undefined : of(type));
  const [held, pacing] = [current('sluice.dev/Held'), current('sluice.dev/Pacing')];
  const [plan, inProgress] = [of('sluice.dev/Plan'), of('EvictionInProgress')];
  const stopped = pacing?.reason === 'Stopped' ? pacing : undefined;
  const [isHeld, isGoing] = [held?.status === 'True', inProgress?.status === 'True'];
  if (isStopped === true && (isHeld || isGoing)) return said(heldByStop, stopped, held, pacing);
  if (isHeld) return said(held?.reason === 'Paused' ? 'Paused' : `Held: ${held?.reason}`, stopped, held);
  if (isGoing) return said(pacedState(pacing), pacing, inProgress);
  if (plan) return said(plan.status === 'True' ? 'Planned' : 'Nothing planned', plan);
  return said(inProgress?.reason ?? '', inProgress);
}

/** State while pods are pending: Evicting, or Held with the reason. */
function pacedState(pacing: { readonly status: string; readonly reason: string } | undefined): string {
  if (pacing?.status !== 'False' || pacing.reason === 'NotPaced') return 'Evicting';
  return pacing.reason === 'Held' ? 'Held' : `Held: ${pacing.reason}`;
}

export function selectorOf(rule: Json): string {
  const spec = objectOf(rule.spec);
  if (spec.deviceSelector === undefined) return 'no device';
  const { all, deviceClassName, selectors, deviceTaints, ...names } = objectOf(spec.deviceSelector);
  const parts = [
    all === true ? 'every device' : [],
    typeof deviceClassName === 'string' ? `class ${deviceClassName}` : [],
    Object.keys(names).length > 0 || isWithout(all, deviceClassName, selectors, deviceTaints)
      ? selectorText(names)
      : [],
    Array.isArray(selectors) ? countText(selectors.length, 'CEL expression') : [],
    Array.isArray(deviceTaints) ? countText(deviceTaints.length, 'taint') : [],
  ];
  return parts.flat().join(', ');
}

function isWithout(...criteria: readonly unknown[]): boolean {
  return criteria.every((one) => one === undefined);
}

export function rulesFound(
  items: readonly Json[],
  by: { readonly now: number; readonly isSingle: boolean; readonly isStopped: StopKnown },
): Found<Json> {
  return {
    items: items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    columns: [
      { name: 'NAME', of: nameOf, isName: true },
      { name: 'KIND', of: (one) => textOf(one.kind) ?? '' },
      { name: 'TAINT', of: (one) => taintsWritten(one).map(taintText).join(', ') },
      { name: 'DEVICES', of: selectorOf },
      { name: 'STATE', of: (one) => stateOfRule(one, by.isStopped) },
      { name: 'AGE', of: (one) => ageOf(one, by.now) },
      {
        name: 'DESCRIPTION',
        isOptional: true,
        of: (one) =>
          taintsWritten(one)
            .flatMap(({ description }) => description ?? [])
            .join('; '),
      },
      { name: 'MESSAGE', wide: true, of: (one) => messageOf(one, by.isStopped) },
    ],
    object: (one) => one,
    name: (one) => `${String(one.kind).toLowerCase()}.${String(one.apiVersion).split('/')[0]}/${nameOf(one)}`,
    isSingle: by.isSingle,
    noun: 'rules',
  };
}
