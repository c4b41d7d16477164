// Converts the CDK context keys of version 0.1 to the format of sluice.yaml.
import { stringify } from 'yaml';

/** Returns the part of sluice.yaml that replaces a key's value; may be empty. */
type Replace = (value: unknown) => Readonly<Record<string, unknown>>;

const isOn = (value: unknown) => ['1', 'true', true].some((one) => one === value);
const numberOf = (value: unknown) => (Number.isNaN(Number(value)) ? value : Number(value));

const replacements: Readonly<Record<string, Replace>> = {
  clusters: (value) => ({ clusters: jsonOf(value) }),
  destroy: (value) => (isOn(value) ? { removal: { policy: 'destroy' } } : {}),
  limits: (value) => ({ limits: jsonOf(value) }),
  visibilityTimeout: (value) => ({ limits: { visibilityTimeout: numberOf(value) } }),
  maxReceiveCount: (value) => ({ limits: { maxReceiveCount: numberOf(value) } }),
  logLevel: (value) => ({ logLevel: value }),
  runbookUrl: (value) => ({ alarms: { runbookUrl: value } }),
  nossl: (value) => (isOn(value) ? { emulator: { plainHttp: true } } : {}),
  emulator: (value) => (isOn(value) ? { emulator: { batchActions: true } } : {}),
  clicreds: (value) => (isOn(value) ? { stack: { credentials: 'cli' } } : {}),
};

export const contextKeys = Object.keys(replacements);

/** Converts the `context` of a cdk.json or `-c NAME=VALUE`; ignores keys of others. Not validated. */
export function configFromContext(context: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const parts = Object.entries(replacements)
    .filter(([key]) => context[key] !== undefined)
    .map(([key, replace]) => replace(context[key]));
  return parts.reduce(merge, {});
}

/** Throws if an old key is set; the message has the lines for sluice.yaml. */
export function refuseContextKeys(contextOf: (key: string) => unknown): void {
  const context = Object.fromEntries(contextKeys.map((key) => [key, contextOf(key)] as const));
  const used = contextKeys.filter((key) => context[key] !== undefined);
  if (used.length === 0) return;
  const lines = configFromContext(context);
  const instead =
    Object.keys(lines).length === 0
      ? 'Leave them out: what they say is the default.'
      : `Write into sluice.yaml instead:\n\n${stringify(lines)}`;
  throw new Error(`context keys are no longer read: ${used.join(', ')}. ${instead}`);
}

function jsonOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function merge(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const own = merged[key];
    merged[key] = isRecord(own) && isRecord(value) ? { ...own, ...value } : value;
  }
  return merged;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
