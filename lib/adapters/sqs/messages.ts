// The wire form of every message between stages: version 1, checked on arrival; what does not fit is poison with a reason.
// zod as a namespace: the object export would bring its locales along, 350 KB in every function.
import * as z from 'zod';
import type { Change } from '../../model/change.ts';
import type {
  EventMessage,
  EvictMessage,
  PaceMessage,
  ReconcileMessage,
  ReleaseMessage,
  ReportMessage,
} from '../../ports.ts';

/** Raised when a field changes its meaning; older functions refuse newer messages instead of guessing. */
export const messageVersion = 1;

export type ParsedMessage<T> =
  | { readonly kind: 'Parsed'; readonly value: T }
  | { readonly kind: 'Poison'; readonly why: string };

const text = z.string();
const name = z.string().min(1).max(600);
const version = z.string().regex(/^\d{1,20}$/, 'must be a decimal number');
const instant = z.number().int().min(-8.64e15).max(8.64e15);

const meta = { name, uid: name, resourceVersion: version };
const taint = z.object({ key: text, value: text.optional(), effect: text, timeAdded: instant.optional() });
const toleration = z.object({
  key: text.optional(),
  operator: text.optional(),
  value: text.optional(),
  effect: text.optional(),
  tolerationSeconds: z.number().optional(),
});
const consumer = z.object({ apiGroup: text.optional(), resource: text, name: text, uid: text });
const controller = z.object({ apiVersion: text, kind: text, name: text, uid: text });
const annotations = z.record(text, text).optional();

const pod = z.object({
  kind: z.literal('Pod'),
  namespace: name,
  ...meta,
  creationTimestamp: instant.optional(),
  deletionTimestamp: instant.optional(),
  nodeName: text.optional(),
  priority: z.number().optional(),
  controller: controller.optional(),
  podGroupName: text.optional(),
  resourceClaims: z.array(
    z.object({ name: text, resourceClaimName: text.optional(), resourceClaimTemplateName: text.optional() }),
  ),
  resourceClaimStatuses: z.array(z.object({ name: text, resourceClaimName: text.optional() })),
  extendedResourceClaimName: text.optional(),
  labels: z.record(text, text).optional(),
});

const allocatedDevice = z.object({
  request: text,
  driver: text,
  pool: text,
  device: text,
  adminAccess: z.boolean().optional(),
  shareID: text.optional(),
  tolerations: z.array(toleration).optional(),
});

const claim = z.object({
  kind: z.literal('ResourceClaim'),
  namespace: name,
  ...meta,
  controller: controller.optional(),
  reservedFor: z.array(consumer),
  allocation: z.object({ devices: z.array(allocatedDevice), reservedForAnyPod: z.boolean().optional() }).optional(),
  specReservedFor: consumer.optional(),
  annotations,
});

const slice = z.object({
  kind: z.literal('ResourceSlice'),
  ...meta,
  driver: text,
  pool: z.object({ name: text, generation: z.number() }),
  devices: z.array(z.object({ name: text, taints: z.array(taint).optional() })),
});

const rule = z.object({
  kind: z.literal('DeviceTaintRule'),
  ...meta,
  generation: z.number(),
  deviceSelector: z.object({ driver: text.optional(), pool: text.optional(), device: text.optional() }).optional(),
  taint,
  annotations,
});

const object = z.discriminatedUnion('kind', [pod, claim, slice, rule]);
const generation = instant.optional();

const change = z.discriminatedUnion('type', [
  z.object({ version: z.literal(messageVersion), type: z.literal('Upserted'), object, generation }),
  z.object({ version: z.literal(messageVersion), type: z.literal('Deleted'), object, generation }),
  z.object({
    version: z.literal(messageVersion),
    type: z.literal('Relisted'),
    kind: z.enum(['Pod', 'ResourceClaim', 'ResourceSlice', 'DeviceTaintRule']),
    generation: instant,
    resourceVersion: version,
    from: text.optional(),
    to: text.optional(),
    keys: z.array(z.object({ key: text, uid: text })),
  }),
  z.object({
    version: z.literal(messageVersion),
    type: z.literal('Heartbeat'),
    at: instant,
    clockOffset: z.number(),
    watched: z.record(text, text),
  }),
]);

const versioned = { version: z.literal(messageVersion), cluster: name };
const podRef = z.object({ namespace: name, name, uid: name });
const hops = z.number().int().min(0).optional();

const reconcileMessage = z.object({
  ...versioned,
  pods: z.array(name).max(100),
  fanout: z.object({ rule: name, epoch: name, chunk: name }).optional(),
});
const paceMessage = z.object({ ...versioned, limiter: name, hops });
const evictMessage = z.object({
  ...versioned,
  limiter: name,
  tasks: z.array(z.object({ pod: podRef, slot: z.number() })),
  hops,
});
const reportMessage = z.object({ ...versioned, rule: name, plan: z.literal(true).optional() });
const releaseMessage = z.object({ ...versioned, claim: name });
const eventMessage = z.object({
  ...versioned,
  event: z.object({
    name,
    regarding: z.union([
      podRef.extend({ kind: z.literal('ResourceClaim') }),
      podRef,
      z.object({ name, uid: name, kind: z.literal('DeviceTaintRule') }),
    ]),
    type: z.enum(['Normal', 'Warning']),
    reason: name,
    message: text,
    at: instant,
  }),
});

export const parseChange = parser<Change>(change);
export const parseReconcileMessage = parser<ReconcileMessage>(reconcileMessage);
export const parsePaceMessage = parser<PaceMessage>(paceMessage);
export const parseEvictMessage = parser<EvictMessage>(evictMessage);
export const parseReportMessage = parser<ReportMessage | ReleaseMessage | EventMessage>(
  z.union([eventMessage, releaseMessage, reportMessage]),
);

/** The body of a message. U+FFFE and U+FFFF are escaped: SQS takes only characters that XML 1.0 knows. */
export function formatMessage(message: object): string {
  return JSON.stringify({ version: messageVersion, ...message }).replace(/[\uFFFE\uFFFF]/g, (char) =>
    char === '\uFFFE' ? '\\ufffe' : '\\uffff',
  );
}

/** Unknown members are dropped; an unknown version, a missing or wrong member makes the message poison. */
function parser<T extends object>(schema: z.ZodType): (body: string) => ParsedMessage<T> {
  return (body) => {
    const json = parseJson(body);
    if (json === undefined) return { kind: 'Poison', why: 'the body is not a JSON object' };
    const found = (json as { version?: unknown }).version;
    if (found !== messageVersion) {
      return {
        kind: 'Poison',
        why: `message version ${JSON.stringify(found)} is not ${messageVersion}: upgrade the functions before the watcher`,
      };
    }
    const parsed = schema.safeParse(json);
    if (!parsed.success) return { kind: 'Poison', why: z.prettifyError(parsed.error).slice(0, 500) };
    const { version: _, ...value } = parsed.data as T & { version: number };
    return { kind: 'Parsed', value: value as unknown as T };
  };
}

function parseJson(body: string): object | undefined {
  try {
    const json: unknown = JSON.parse(body);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
