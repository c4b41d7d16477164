// Converts native rules to PacedTaintRules, and back if the native API can express them.
import { projectedFromLabel } from '../model/rule.ts';
import { parseInstant } from '../model/time.ts';
import { expiresAtAnnotation as expiresAt } from './hold.ts';
import { pausedAnnotation as paused } from './pauses.ts';
import { burstAnnotation as burst, rateAnnotation as rate } from './rate.ts';
import { readRate } from './writtenRate.ts';

type Json = Readonly<Record<string, unknown>>;

export type Conversion =
  /** `lost`: settings that the other kind does not have, in words. */
  | { readonly kind: 'Converted'; readonly manifests: readonly Json[]; readonly lost: readonly string[] }
  /** Sluice created the rule for the scheduler; convert its PacedTaintRule instead. */
  | { readonly kind: 'Skipped'; readonly why: string }
  /** The other kind cannot express it, or the manifest is not a rule. */
  | { readonly kind: 'Refused'; readonly why: string };

const pacedVersion = 'sluice.dev/v1alpha1';
const nativeGroup = 'resource.k8s.io/';

/** Converts to the other kind. `nativeVersion`: the version of resource.k8s.io that the cluster serves. */
export function convertRule(manifest: unknown, nativeVersion = 'v1'): Conversion {
  const { apiVersion, kind } = objectOf(manifest);
  const version = text(apiVersion);
  if (kind === 'DeviceTaintRule' && version.startsWith(nativeGroup)) return toPaced(objectOf(manifest));
  if (kind === 'PacedTaintRule' && version === pacedVersion) return toNative(objectOf(manifest), nativeVersion);
  return refused(
    `${text(kind) || 'something'} of ${version || 'no version'} is neither a DeviceTaintRule nor a PacedTaintRule`,
  );
}

function toPaced(manifest: Json): Conversion {
  const { metadata, name } = metaOf(manifest);
  if (objectOf(metadata.labels)[projectedFromLabel] !== undefined)
    return { kind: 'Skipped', why: `DeviceTaintRule ${name} was written by Sluice for the scheduler` };
  const spec = objectOf(manifest.spec);
  const { [rate]: perSecond, [burst]: atOnce, [paused]: pause, [expiresAt]: until, ...annotations } = textsOf(metadata);
  const said = (where: string, value: string | undefined) => (value === undefined ? undefined : { where, text: value });
  const { problems } = readRate({ perSecond: said(rate, perSecond), burst: said(burst, atOnce), policy: undefined });
  const unreadable = until !== undefined && parseInstant(until) === undefined;
  const held = unreadable ? [`${expiresAt} is "${until}", which is not an RFC 3339 time`, ...problems] : problems;
  if (held.length > 0) return refused(`DeviceTaintRule ${name} is held, because ${held[0]}: correct or remove it`);
  const selector = selectorOf(spec);
  const isAll = selector !== undefined && Object.keys(selector).length === 0;
  const taint = {
    ...objectOf(spec.taint),
    ...(perSecond === undefined ? {} : { evictionsPerSecond: Number(perSecond) }),
    ...(atOnce === undefined ? {} : { burst: Number(atOnce) }),
  };
  const paced = {
    ...(selector === undefined ? {} : { deviceSelector: isAll ? { all: true } : selector }),
    taints: [taint],
    ...(pause === undefined || pause === 'false' ? {} : { paused: true }),
    ...(until === undefined ? {} : { expiresAt: until }),
  };
  return converted([
    ruleOf({ apiVersion: pacedVersion, kind: 'PacedTaintRule' }, { name, metadata, annotations, spec: paced }),
  ]);
}

const beyondNative = ['deviceClassName', 'selectors', 'deviceTaints'];

function toNative(manifest: Json, version: string): Conversion {
  const { metadata, name } = metaOf(manifest);
  const { taints, pods, priority, paused: isPaused, expiresAt: until } = objectOf(manifest.spec);
  const selector = selectorOf(objectOf(manifest.spec));
  const annotated = textsOf(metadata);
  const beyond = Object.keys(selector ?? {}).filter((one) => beyondNative.includes(one));
  if (beyond.length > 0)
    return refused(`PacedTaintRule ${name} selects by ${beyond.join(' and ')}, which a DeviceTaintRule cannot`);
  if (pods !== undefined) return refused(`PacedTaintRule ${name} selects pods, which a DeviceTaintRule cannot`);
  if (priority !== undefined) return refused(`PacedTaintRule ${name} has a priority, which a DeviceTaintRule has not`);
  if (isPaused !== undefined && typeof isPaused !== 'boolean')
    return refused(`PacedTaintRule ${name}: spec.paused is neither true nor false`);
  if (until !== undefined && annotated[expiresAt] !== undefined)
    return refused(`PacedTaintRule ${name} expires by spec.expiresAt and by ${expiresAt}: remove one of them`);
  const list = Array.isArray(taints) ? taints.map(objectOf) : [];
  if (list.length === 0) return refused(`PacedTaintRule ${name} has no taint`);
  const { all: _, ...names } = selector ?? {};
  const lost = list.flatMap((taint, index) => lostOf(name, taint, index));
  const rules = list.map((taint, index) => {
    const { evictionsPerSecond, burst: atOnce, data: __, description: ___, ...native } = withTime(taint, manifest);
    const annotations = {
      ...annotated,
      ...(evictionsPerSecond === undefined ? {} : { [rate]: String(evictionsPerSecond) }),
      ...(atOnce === undefined ? {} : { [burst]: String(atOnce) }),
      ...(isPaused === true ? { [paused]: 'true' } : {}),
      ...(until === undefined ? {} : { [expiresAt]: text(until) }),
    };
    const spec = { ...(selector === undefined ? {} : { deviceSelector: names }), taint: native };
    // Each taint becomes a rule with its own name.
    const own = list.length === 1 ? name : `${name.slice(0, 250)}-${index}`;
    return ruleOf(
      { apiVersion: `${nativeGroup}${version}`, kind: 'DeviceTaintRule' },
      { name: own, metadata, annotations, spec },
    );
  });
  return { ...converted(rules), lost };
}

function lostOf(name: string, taint: Json, index: number): readonly string[] {
  const fields = ['data', 'description'].filter((field) => taint[field] !== undefined);
  return fields.map(
    (field) => `PacedTaintRule ${name}: spec.taints[${index}].${field} has no place in a DeviceTaintRule`,
  );
}

/** Carries over the effective timeAdded: without it the native rule would restart its toleration times. */
function withTime(taint: Json, manifest: Json): Json {
  const { taints } = objectOf(manifest.status);
  // Stryker disable next-line ArrayDeclaration: a string among the taints has no key
  const seen = (Array.isArray(taints) ? taints.map(objectOf) : []).find(
    (one) => one.key === taint.key && one.effect === taint.effect,
  );
  return taint.timeAdded === undefined && seen?.timeAdded !== undefined
    ? { ...taint, timeAdded: seen.timeAdded }
    : taint;
}

/** The manifest as a person wrote it, without the fields that the API server added. */
function ruleOf(
  type: { readonly apiVersion: string; readonly kind: string },
  by: { readonly name: string; readonly metadata: Json; readonly annotations: Json; readonly spec: Json },
): Json {
  const labels = objectOf(by.metadata.labels);
  const metadata = {
    name: by.name,
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(Object.keys(by.annotations).length > 0 ? { annotations: by.annotations } : {}),
  };
  return { ...type, metadata, spec: by.spec };
}

/** Annotation values are strings: the API server accepts no others. */
function textsOf({ annotations }: Json): Readonly<Record<string, string>> {
  return objectOf(annotations) as Readonly<Record<string, string>>;
}

/** Null is treated as absent, which selects nothing. */
function selectorOf({ deviceSelector }: Json): Json | undefined {
  return deviceSelector === undefined || deviceSelector === null ? undefined : objectOf(deviceSelector);
}

function metaOf(manifest: Json): { readonly metadata: Json; readonly name: string } {
  const metadata = objectOf(manifest.metadata);
  return { metadata, name: text(metadata.name) };
}

function converted(manifests: readonly Json[]): Extract<Conversion, { kind: 'Converted' }> {
  return { kind: 'Converted', manifests, lost: [] };
}

function refused(why: string): Conversion {
  return { kind: 'Refused', why };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}
