// Converts a rule to the other kind; refuses it unless the watcher can read both the input and the result.
import { project } from '../adapters/kubernetes/project.ts';
import { objectOf } from '../adapters/kubernetes/read.ts';
import { type Conversion, convertRule } from '../decide/convert.ts';

/** `nativeVersion`: version of resource.k8s.io for native rules. */
export function convertManifest(manifest: unknown, nativeVersion?: string): Conversion {
  const conversion = convertRule(manifest, nativeVersion);
  const after = conversion.kind === 'Converted' ? conversion.manifests : [];
  const why = [manifest, ...after].flatMap((one) => problemOf(one) ?? [])[0];
  return conversion.kind === 'Converted' && why !== undefined ? { kind: 'Refused', why } : conversion;
}

/** A warning about a rule without a deviceSelector: its author may believe that it selects every device. Absent for others. */
export function selectsNoDevice(manifest: unknown): string | undefined {
  const { kind, metadata, spec } = objectOf(manifest);
  const { deviceSelector } = objectOf(spec);
  if (deviceSelector !== undefined && deviceSelector !== null) return undefined;
  const every = kind === 'PacedTaintRule' ? '{all: true}' : '{}';
  return `${kind} ${objectOf(metadata).name} has no deviceSelector: it selects no device, and neither does what it is converted to; for every device write deviceSelector: ${every}`;
}

const effects: readonly string[] = ['None', 'NoSchedule', 'NoExecute'];

function problemOf(manifest: unknown): string | undefined {
  const { kind, metadata, spec } = objectOf(manifest);
  if (kind !== 'DeviceTaintRule' && kind !== 'PacedTaintRule') return undefined;
  const { name, annotations } = objectOf(metadata);
  const named = `${kind} ${name}`;
  const stored = { ...objectOf(manifest), metadata: { ...objectOf(metadata), uid: 'uid', resourceVersion: '0' } };
  const read = project(kind, stored);
  if (read.kind === 'Unreadable') return read.why;
  const other = Object.entries(objectOf(annotations)).find(([, value]) => typeof value !== 'string');
  if (other) return `${named}: annotation ${other[0]} must be a string`;
  if (Object.values(objectOf(objectOf(spec).deviceSelector)).includes(null))
    return `${named}: spec.deviceSelector has a criterion without a value`;
  const rule = read.object;
  const taints = rule.kind === 'PacedTaintRule' ? rule.taints : rule.kind === 'DeviceTaintRule' ? [rule.taint] : [];
  const effect = taints.map((taint) => taint.effect).find((one) => !effects.includes(one));
  return effect === undefined ? undefined : `${named}: effect "${effect}" is none of ${effects.join(', ')}`;
}
