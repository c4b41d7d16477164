// Validates names, with the API server's messages.
import type { FieldError } from './resourceType.ts';

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const namePartRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

export function invalidValue(field: string, value: unknown, why: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${valueText(value)}: ${why}` };
}

/** Go writes small numbers with an exponent. */
function valueText(value: unknown): string {
  if (typeof value !== 'number' || value === 0 || Math.abs(value) >= 1e-4) return JSON.stringify(value ?? null);
  return value.toExponential().replace(/e-(\d)$/, 'e-0$1');
}

export function required(field: string, why?: string): FieldError {
  return { field, reason: 'FieldValueRequired', message: why ? `Required value: ${why}` : 'Required value' };
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((text) => JSON.stringify(text)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`;
  return { field, reason: 'FieldValueNotSupported', message };
}

/** metadata.name must be a DNS subdomain for every resource served here. */
export function objectNameErrors(name: string): readonly FieldError[] {
  if (!name) return [required('metadata.name', 'name or generateName is required')];
  if (name.length > 253) return [invalidValue('metadata.name', name, 'must be no more than 253 bytes')];
  return subdomain.test(name) ? [] : [invalidValue('metadata.name', name, subdomainRule)];
}

/** Taint key: an optional DNS subdomain prefix, and a name part of at most 63 characters. */
export function labelNameErrors(field: string, key: string): readonly FieldError[] {
  const slash = key.lastIndexOf('/');
  const [prefix, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  const errors: FieldError[] = [];
  if (prefix !== undefined && !subdomain.test(prefix)) {
    errors.push(invalidValue(field, key, prefix ? `prefix part ${subdomainRule}` : 'prefix part must be non-empty'));
  }
  if (!name) errors.push(invalidValue(field, key, 'name part must be non-empty'));
  if (name.length > 63) errors.push(invalidValue(field, key, 'name part must be no more than 63 bytes'));
  if (!namePart.test(name)) errors.push(invalidValue(field, key, namePartRule));
  return errors;
}
