// The wire form of every message between stages: version 1, checked on arrival; what does not fit is poison with a reason.
import * as z from 'zod/mini';
import type { Change } from '../../model/change.ts';
import type {
  EventMessage,
  EvictMessage,
  ReconcileMessage,
  ReleaseMessage,
  ReportMessage,
  ResendMessage,
  SettleMessage,
} from '../../model/message.ts';
import { instant, name, object, objectKind, text, version } from './objectSchemas.ts';

/** Raised when a field changes its meaning; older functions refuse newer messages instead of guessing. */
export const messageVersion = 1;

export type ParsedMessage<T> =
  | { readonly kind: 'Parsed'; readonly value: T }
  | { readonly kind: 'Poison'; readonly why: string };

const range = z.int().check(z.minimum(0), z.maximum(255));

const change = z.discriminatedUnion('type', [
  z.object({ version: z.literal(messageVersion), type: z.literal('Upserted'), object }),
  z.object({ version: z.literal(messageVersion), type: z.literal('Deleted'), object }),
  z.object({
    version: z.literal(messageVersion),
    type: z.literal('Absent'),
    kind: objectKind,
    key: text,
    resourceVersion: version,
  }),
  z.object({
    version: z.literal(messageVersion),
    type: z.literal('Manifest'),
    kind: objectKind,
    from: range,
    to: range,
    resourceVersion: version,
    entries: z.array(z.object({ key: text, uid: name, resourceVersion: version })),
  }),
  z.object({
    version: z.literal(messageVersion),
    type: z.literal('Heartbeat'),
    at: instant,
    clockOffset: z.number(),
    watched: z.record(text, text),
    notServed: z.optional(z.array(objectKind)),
    inTree: z.optional(z.object({ at: instant, evidence: text })),
  }),
  z.object({ version: z.literal(messageVersion), type: z.literal('Switched') }),
  z.object({
    version: z.literal(messageVersion),
    type: z.literal('Due'),
    rows: z.array(z.object({ pk: text, sk: text })).check(z.maxLength(100)),
  }),
]);

const versioned = { version: z.literal(messageVersion), cluster: name };
const podRef = z.object({ namespace: name, name, uid: name });
const times = z.optional(z.int().check(z.minimum(0)));

const reconcileMessage = z.object({
  ...versioned,
  pods: z.array(name).check(z.maxLength(100)),
  chunk: z.optional(z.object({ cause: name, epoch: name, id: name })),
});
const evictMessage = z.object({ ...versioned, limiter: name, hops: times });
const settleMessage = z.object({
  ...versioned,
  intents: z.array(z.object({ pod: podRef, openedAt: instant })).check(z.maxLength(100)),
});
const reportMessage = z.object({ ...versioned, rule: name, plan: z.optional(z.literal(true)) });
const resendMessage = z.object({
  ...versioned,
  objects: z.array(z.object({ kind: objectKind, key: text })).check(z.maxLength(100)),
});
const releaseMessage = z.object({ ...versioned, claim: name });
const eventMessage = z.object({
  ...versioned,
  event: z.object({
    name,
    regarding: z.union([
      z.extend(podRef, { kind: z.literal('ResourceClaim') }),
      podRef,
      z.object({ name, uid: name, kind: z.enum(['DeviceTaintRule', 'PacedTaintRule', 'EvictionPolicy']) }),
    ]),
    type: z.enum(['Normal', 'Warning']),
    reason: name,
    message: text,
    at: instant,
  }),
});

/** By the stage whose queue they are in; each release's are kept by a test. */
export const messageSchemas = {
  ingest: change,
  reconcile: reconcileMessage,
  evict: z.union([settleMessage, evictMessage]),
  report: z.union([eventMessage, releaseMessage, reportMessage]),
  resend: resendMessage,
} as const;

export const parseChange = parser<Change>(messageSchemas.ingest);
export const parseReconcileMessage = parser<ReconcileMessage>(messageSchemas.reconcile);
export const parseEvictMessage = parser<EvictMessage | SettleMessage>(messageSchemas.evict);
export const parseResendMessage = parser<ResendMessage>(messageSchemas.resend);
export const parseReportMessage = parser<ReportMessage | ReleaseMessage | EventMessage>(messageSchemas.report);

/** The body of a message. U+FFFE and U+FFFF are escaped: SQS takes only characters that XML 1.0 knows. */
export function formatMessage(message: object): string {
  return JSON.stringify({ version: messageVersion, ...message }).replace(/[\uFFFE\uFFFF]/g, (char) =>
    char === '\uFFFE' ? '\\ufffe' : '\\uffff',
  );
}

/** Unknown members are dropped; an unknown version, a missing or wrong member makes the message poison. */
function parser<T extends object>(schema: z.ZodMiniType): (body: string) => ParsedMessage<T> {
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
