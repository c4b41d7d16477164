// The wire format of all messages between stages, version 1. Messages are validated on arrival; invalid ones are poison, with a reason.
import * as z from 'zod/mini';

/** Increased when a field changes its meaning; older functions reject newer messages instead of guessing. */
export const messageVersion = 1;

export type ParsedMessage<T> =
  | { readonly kind: 'Parsed'; readonly value: T }
  | { readonly kind: 'Poison'; readonly why: string };

/** Formats a message body. U+FFFE and U+FFFF are escaped: SQS accepts only characters allowed in XML 1.0. */
export function formatMessage(message: object): string {
  return JSON.stringify({ version: messageVersion, ...message }).replace(/[\uFFFE\uFFFF]/g, (char) =>
    char === '\uFFFE' ? '\\ufffe' : '\\uffff',
  );
}

/** Unknown fields are dropped; an unknown version, or a missing or invalid field makes the message poison. */
export function parser<T extends object>(schema: z.ZodMiniType): (body: string) => ParsedMessage<T> {
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
