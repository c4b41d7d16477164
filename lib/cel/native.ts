// Before Kubernetes 1.37, cel-go converted the value of a resolved optional to Go's native form and back.
import { CelError, CelOptional, CelType, Opaque, type Value } from './values.ts';

/** Library values that cannot be converted back; the optional then holds the error. */
const oneWay = new Set(['kubernetes.Quantity', 'kubernetes.Semver', 'kubernetes.URL', 'net.IP', 'net.CIDR']);

export function throughNative(value: Value): Value {
  if (!(value instanceof CelOptional) || value.value === undefined) return value;
  const held = value.value;
  if (held instanceof CelOptional) return held;
  if (held instanceof CelType) return new CelOptional(held.name);
  if (!(held instanceof Opaque) || !oneWay.has(held.kind)) return value;
  return new CelOptional(new CelError(`unsupported conversion to ref.Val: ${held.kind}`));
}
