// Percent-escapes in the parts of a URL; each part has its own set of unescaped characters.
import { Abort } from './abort.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export function escapesAreValid(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function bytesOf(text: string): readonly number[] {
  const bytes: number[] = [];
  for (const part of text.match(/%[0-9a-fA-F]{2}|[^%]+/gsu) ?? []) {
    if (part.startsWith('%')) bytes.push(Number.parseInt(part.slice(1), 16));
    else for (const byte of encoder.encode(part)) bytes.push(byte);
  }
  return bytes;
}

/** Resolves escapes; undefined for an invalid one. Bytes that are not UTF-8 abort: strings cannot hold them here. */
export function unescapeText(text: string): string | undefined {
  if (!escapesAreValid(text)) return undefined;
  if (!text.includes('%')) return text;
  try {
    return decoder.decode(Uint8Array.from(bytesOf(text)));
  } catch {
    throw new Abort('the URL escapes bytes that are not valid UTF-8');
  }
}

const hostSafe = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\u{10ffff}]*$/u;

/** In a host only non-ASCII bytes and the percent sign of a zone may be escaped. */
export function unescapeHost(text: string): string | undefined {
  const escapes = text.match(/%../gs) ?? [];
  if (escapes.some((one) => /^%[0-7]/.test(one) && one !== '%25')) return undefined;
  if (!hostSafe.test(text.replace(/%[0-9a-fA-F]{2}/g, ''))) return undefined;
  return unescapeText(text);
}

function escaper(keep: RegExp) {
  return (text: string) =>
    bytesOf(text)
      .map((byte) => {
        const character = String.fromCharCode(byte);
        return keep.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      })
      .join('');
}

/** Escapers to the canonical form; the input may contain escapes. */
export const escapePath = escaper(/^[A-Za-z0-9\-_.~$&+,/:;=@]$/);
export const escapeUser = escaper(/^[A-Za-z0-9\-_.~$&+,;=]$/);
export const escapeHost = escaper(/^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]$/);

/** Whether a path can be shown unchanged. */
export function isProperPath(path: string): boolean {
  return /^[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]%]*$/.test(path) && escapesAreValid(path);
}
