// Parses and validates the messages between stages.
import * as z from 'zod/mini';
import type {
  DueMessage,
  EvaluateMessage,
  EventMessage,
  EvictMessage,
  ReportMessage,
  ResendMessage,
} from '../../model/message.ts';
import { clusterId, instant, name, objectKind, text } from './fields.ts';
import { messageVersion, parser } from './wire.ts';

const versioned = { version: z.literal(messageVersion), cluster: clusterId };
const podRef = z.object({ namespace: name, name, uid: name });
const times = z.optional(z.int().check(z.minimum(0)));

const evaluateMessage = z.object({
  ...versioned,
  pods: z.array(name).check(z.maxLength(100)),
  chunk: z.optional(z.object({ cause: name, epoch: name, id: name })),
});
const evictMessage = z.object({ ...versioned, limiter: name, hops: times, retries: times });
const dueMessage = z.object({
  ...versioned,
  rows: z.array(z.object({ pk: text, sk: text })).check(z.maxLength(100)),
});
const reportMessage = z.object({ ...versioned, rule: name, plan: z.optional(z.literal(true)) });
const resendMessage = z.object({
  ...versioned,
  objects: z.array(z.object({ kind: objectKind, key: text })).check(z.maxLength(100)),
});
const eventMessage = z.object({
  ...versioned,
  event: z.object({
    name,
    regarding: z.union([z.object({ kind: objectKind, namespace: z.optional(name), name, uid: name }), podRef]),
    type: z.enum(['Normal', 'Warning']),
    reason: name,
    message: text,
    at: instant,
  }),
});

/** By the stage that receives them, except ingest; a test keeps the schemas of each release. */
export const messageSchemas = {
  evaluate: evaluateMessage,
  evict: z.union([dueMessage, evictMessage]),
  report: z.union([eventMessage, dueMessage, reportMessage]),
  resend: resendMessage,
} as const;

export const parseEvaluateMessage = parser<EvaluateMessage>(messageSchemas.evaluate);
export const parseEvictMessage = parser<EvictMessage | DueMessage>(messageSchemas.evict);
export const parseResendMessage = parser<ResendMessage>(messageSchemas.resend);
export const parseReportMessage = parser<ReportMessage | DueMessage | EventMessage>(messageSchemas.report);
