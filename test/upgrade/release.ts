// The message formats of a release, kept as JSON Schemas: which messages it accepts, and how it would have written them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { changeSchema } from '../../lib/adapters/sqs/changes.ts';
import { messageSchemas } from '../../lib/adapters/sqs/messages.ts';
import { messageVersion } from '../../lib/adapters/sqs/wire.ts';
import type { Stage } from '../../lib/contract.ts';

interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
}

export interface Release {
  readonly messageVersion: number;
  /** Why the release's functions would drop the message; `undefined` when they accept it. */
  refuses(stage: Stage, body: string): string | undefined;
  /** The message without fields unknown to the release, as its watcher or functions would have written it. */
  asWritten(stage: Stage, body: string): string;
}

/** Throws when the file of that release is missing; `SLUICE_RELEASE=<version> npm run unit -- test/upgrade` writes it. */
export function readRelease(name: string): Release {
  const file = path.join(import.meta.dirname, `${name}.json`);
  if (process.env.SLUICE_RELEASE === name) writeFileSync(file, keptForm());
  if (!existsSync(file)) throw new Error(`${file} is missing: SLUICE_RELEASE=${name} npm run unit -- test/upgrade`);
  const kept = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly messageVersion: number;
    readonly stages: Readonly<Record<Stage, JsonSchema>>;
  };
  const readers = new Map<JsonSchema, z.ZodType>();
  const accepts = (schema: JsonSchema, value: unknown) => {
    const reader = readers.get(schema) ?? z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
    readers.set(schema, reader);
    return reader.safeParse(value);
  };
  const known = (schema: JsonSchema, value: unknown): unknown => {
    const oneOf = schema.anyOf ?? schema.oneOf;
    if (oneOf) {
      const fitting = oneOf.find((one) => accepts(one, value).success);
      return fitting ? known(fitting, value) : value;
    }
    if (Array.isArray(value)) return value.map((one) => (schema.items ? known(schema.items, one) : one));
    if (typeof value !== 'object' || value === null || !schema.properties) return value;
    const { properties } = schema;
    const members = Object.entries(value).flatMap(([name, member]) => {
      const inner = properties[name];
      return inner ? [[name, known(inner, member)] as const] : [];
    });
    return Object.fromEntries(members);
  };
  return {
    messageVersion: kept.messageVersion,
    refuses(stage, body) {
      const read = accepts(kept.stages[stage], JSON.parse(body));
      return read.success
        ? undefined
        : `${z.prettifyError({ issues: everyIssue(read.error.issues) })}: ${body.slice(0, 300)}`;
    },
    asWritten: (stage, body) => JSON.stringify(known(kept.stages[stage], JSON.parse(body))),
  };
}

/** The issues of a message, including those of every alternative of a union. */
function everyIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
    return everyIssue(issue.errors.flat()).map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
  });
}

/** Written once, when a release is made; the file is never edited afterwards. */
function keptForm(): string {
  const stages = Object.fromEntries(
    Object.entries({ ingest: changeSchema, ...messageSchemas }).map(([stage, schema]) => [
      stage,
      z.toJSONSchema(schema, { io: 'input' }),
    ]),
  );
  return `${JSON.stringify({ messageVersion, stages }, undefined, 2)}\n`;
}
