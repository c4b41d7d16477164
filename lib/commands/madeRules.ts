// PacedTaintRules that `taint` and `drain` write, with the label and annotation by which `untaint` finds them; pure.
import { isLabelName, isLabelValue } from '../adapters/kubernetes/objectName.ts';
import { type Json, listOf, objectOf, textOf } from '../adapters/kubernetes/read.ts';
import { hashOf } from '../mirror/ranges.ts';
import type { DeviceId } from '../model/identity.ts';

export const madeByLabel = 'sluice.dev/made-by';
export const drainKey = 'sluice.dev/drain';
/** Subject of the request: `node/a` or `device/driver/pool/device`. */
export const subjectAnnotation = 'sluice.dev/made-for';

/** Subject of a rule that `taint` or `drain` made; `undefined` for any other rule. */
export function madeFor(rule: Json): string | undefined {
  const { labels, annotations } = objectOf(rule.metadata);
  const made = objectOf(labels)[madeByLabel];
  return made === 'taint' || made === 'drain' ? textOf(objectOf(annotations)[subjectAnnotation]) : undefined;
}

export interface WrittenTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

const effects = ['NoExecute', 'NoSchedule', 'None'];

/** Parses `key=value:Effect` or `key:Effect` as in kubectl; returns an error message for any other text. */
export function parseTaint(text: string): WrittenTaint | string {
  const [, key = '', value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  if (key === '') return `${text} is not a taint: write KEY=VALUE:EFFECT or KEY:EFFECT`;
  if (!effects.includes(effect)) return `${effect} is not an effect: use ${effects.join(', ')}`;
  if (!isLabelName(key)) return `${key} is not a taint key: write it as a label key, such as example.com/unhealthy`;
  if (!isLabelValue(value ?? ''))
    return `${value} is not a taint value: use at most 63 letters, digits, dashes, dots and underscores`;
  return { key, effect, ...(value ? { value } : {}) };
}

export interface RuleToMake {
  readonly by: 'taint' | 'drain';
  /** `node/a` or `device/driver/pool/device`. */
  readonly subject: string;
  readonly place: Partial<DeviceId>;
  readonly taint: WrittenTaint;
  readonly rate?: number | undefined;
  readonly burst?: number | undefined;
}

/** The name depends only on the request, so that a repeated request creates no second rule. */
export function ruleToMake({ by, subject, place, taint, rate, burst }: RuleToMake): Json {
  const { driver, pool, device } = place;
  const parts = [driver, pool, device].flatMap((one) => (one === undefined ? [] : [one]));
  const paced = {
    ...taint,
    ...(rate === undefined ? {} : { evictionsPerSecond: rate }),
    ...(burst === undefined ? {} : { burst }),
  };
  return {
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'PacedTaintRule',
    metadata: {
      name: madeName(`${by}-${subject.slice(subject.indexOf('/') + 1)}`, [...parts, taint.key, taint.effect]),
      labels: { [madeByLabel]: by },
      annotations: { [subjectAnnotation]: subject },
    },
    spec: { deviceSelector: { ...place }, taints: [paced] },
  };
}

/** An object name: a readable beginning with a hash of all parts. */
export function madeName(beginning: string, parts: readonly string[]): string {
  const readable = beginning
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
  return `${readable}-${hashOf(parts.join('|')).toString(16).padStart(8, '0')}`;
}

/** Device selectors for a node: a whole pool if all of its slices belong to the node, else single devices. */
export function placesOfNode(node: string, slices: readonly Json[]): readonly Partial<DeviceId>[] {
  const read = slices.map(sliceOf);
  const pools = Map.groupBy(read, ({ driver, pool }) => `${driver}|${pool}`);
  return [...pools.values()].flatMap((of) => {
    const [{ driver, pool } = { driver: '', pool: '' }] = of;
    if (of.every((one) => one.node === node)) return [{ driver, pool }];
    const mine = of.flatMap(({ devices }) => devices.filter((one) => one.node === node));
    return mine.map(({ device }) => ({ driver, pool, device }));
  });
}

/** With `perDeviceNodeSelection`, the slice has no nodeName and each device has its own. */
function sliceOf(slice: Json) {
  const { driver, pool, nodeName, devices } = objectOf(slice.spec);
  const read = listOf(devices).map((one) => ({ device: String(one.name), node: one.nodeName ?? nodeName }));
  return { driver: String(driver), pool: String(objectOf(pool).name), node: nodeName, devices: read };
}
