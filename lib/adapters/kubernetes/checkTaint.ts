// Repeats the validation of Sluice's CRDs on read objects: an older CRD may have accepted an invalid one.
import type { PacedTaint } from '../../model/rule.ts';
import { isLabelName, isLabelValue, subdomain } from './objectName.ts';
import { instantOf, type Reader } from './read.ts';

/** Maximum bytes of `data` as JSON (KEP-5055, DeviceTaint.data). */
const largestData = 10_240;

/** Maximum length of a rule's spec.taints. */
const mostTaints = 16;

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const path = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(\/[a-z0-9]([-a-z0-9.]*[a-z0-9])?)*$/;

/** Records the errors of one taint. A taint with an invalid rate or burst evicts no pod, and an unknown effect acts as None. */
export function checkTaint(reader: Reader, { key, value }: PacedTaint): void {
  if (!isLabelName(key)) reader.problem(`key "${key}" is no label name`);
  const [prefix] = key.split('/');
  if (key.includes('/') && /(^|\.)(kubernetes|k8s)\.io$/.test(prefix ?? ''))
    reader.problem(`key "${key}" belongs to Kubernetes: use a prefix of your own`);
  if (value !== undefined && !isLabelValue(value)) reader.problem(`value "${value}" is no label value`);
  const { timeAdded, data } = reader.members;
  if (timeAdded !== undefined && instantOf(timeAdded) === undefined)
    reader.problem(`timeAdded "${timeAdded}" is not an RFC 3339 time`);
  const bytes = data === undefined ? 0 : Buffer.byteLength(JSON.stringify(data));
  if (bytes > largestData) reader.problem(`data is ${bytes} bytes of JSON, at most ${largestData} are allowed`);
}

/** Checks names that select or identify devices; absent ones are skipped. */
export function checkNames(
  reader: Reader,
  { driver, pool, device }: { readonly driver?: string; readonly pool?: string; readonly device?: string },
): void {
  if (driver !== undefined && !(driver.length <= 63 && subdomain.test(driver)))
    reader.problem(`driver "${driver}" is no DNS subdomain of at most 63 characters`);
  if (pool !== undefined && !(pool.length <= 253 && path.test(pool)))
    reader.problem(`pool "${pool}" is no name of a pool`);
  if (device !== undefined && !(device.length <= 63 && label.test(device)))
    reader.problem(`device "${device}" is no DNS label`);
}

/** At most 16 taints, each pair of key and effect once. */
export function checkTaints(spec: Reader, taints: readonly PacedTaint[]): void {
  if (taints.length > mostTaints) spec.problem(`taints are ${taints.length}, at most ${mostTaints} are allowed`);
  const ids = new Set(taints.map(({ key, effect }) => `${key}:${effect}`));
  if (ids.size < taints.length) spec.problem('taints has two of the same key and effect');
}
