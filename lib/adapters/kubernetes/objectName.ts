// Syntax of Kubernetes object names, and of keys and values of labels and taints.

export const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const name = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** A DNS subdomain of at most 253 characters, like metadata.name of all kinds that Sluice reads. */
export function isObjectName(text: string): boolean {
  return text.length <= 253 && subdomain.test(text);
}

/** `[prefix/]name`, like label keys. */
export function isLabelName(key: string): boolean {
  const parts = key.split('/');
  const last = parts.at(-1) ?? '';
  const [prefix] = parts.length === 2 ? parts : [];
  return parts.length <= 2 && name.test(last) && (prefix === undefined || isObjectName(prefix));
}

export function isLabelValue(value: string): boolean {
  return value === '' || name.test(value);
}
