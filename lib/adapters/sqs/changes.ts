// Parses the watcher's messages for ingest. In a file of its own, because the schemas of all kinds would slow down the start of other
// stages.
import * as z from 'zod/mini';
import type { ChangeMessage } from '../../model/change.ts';
import { incarnation, instant, name, objectKind, text, version } from './fields.ts';
import { object } from './objectSchemas.ts';
import { messageVersion, parser } from './wire.ts';

const envelope = { version: z.literal(messageVersion), incarnation };
const range = z.int().check(z.minimum(0), z.maximum(255));

const evictionStop = z.object({
  name: text,
  uid: text,
  reason: z.optional(text),
  by: z.optional(text),
  since: z.optional(instant),
});

/** A test keeps the schema of each release. */
export const changeSchema = z.discriminatedUnion('type', [
  z.object({ ...envelope, type: z.literal('Upserted'), object, refused: z.optional(z.literal(true)) }),
  z.object({ ...envelope, type: z.literal('Listed'), objects: z.array(object) }),
  z.object({ ...envelope, type: z.literal('Deleted'), object }),
  z.object({
    ...envelope,
    type: z.literal('Absent'),
    kind: objectKind,
    key: text,
    resourceVersion: version,
  }),
  z.object({
    ...envelope,
    type: z.literal('Manifest'),
    kind: objectKind,
    from: range,
    to: range,
    resourceVersion: version,
    entries: z.array(z.object({ key: text, uid: name, resourceVersion: version })),
  }),
  z.object({
    ...envelope,
    type: z.literal('Heartbeat'),
    at: instant,
    clockOffset: z.number(),
    watched: z.record(text, text),
    notServed: z.optional(z.array(objectKind)),
    wentBack: z.optional(z.array(objectKind)),
    inTree: z.optional(z.object({ at: instant, evidence: text })),
    stops: z.optional(z.array(evictionStop).check(z.maxLength(20))),
  }),
  z.object({ ...envelope, type: z.literal('Switched') }),
  z.object({
    ...envelope,
    type: z.literal('Due'),
    rows: z.array(z.object({ pk: text, sk: text })).check(z.maxLength(100)),
  }),
]);

export const parseChange = parser<ChangeMessage>(changeSchema);
