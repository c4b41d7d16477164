// Encodes the ASN.1 types of an X.509 certificate in DER (X.690).
import { Buffer } from 'node:buffer';

/** One tag-length-value triple; `tag` is the identifier octet. */
export function tlv(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOctets(body.length), body]);
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.from([0x80 | octets.length, ...octets]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => tlv(0x30, ...items);
export const set = (...items: readonly Uint8Array[]): Buffer => tlv(0x31, ...items);
export const octetString = (content: Uint8Array): Buffer => tlv(0x04, content);
export const boolean = (value: boolean): Buffer => tlv(0x01, Buffer.from([value ? 0xff : 0]));
export const utf8String = (text: string): Buffer => tlv(0x0c, Buffer.from(text));
/** Explicit context tag, as in `[0] EXPLICIT Version`. */
export const explicit = (number: number, ...items: readonly Uint8Array[]): Buffer => tlv(0xa0 | number, ...items);
/** Implicit primitive context tag, as in `[2] IMPLICIT IA5String`. */
export const implicit = (number: number, content: Uint8Array): Buffer => tlv(0x80 | number, content);

/** A non-negative integer given as big-endian octets. */
export function integer(octets: Uint8Array): Buffer {
  const start = octets.findIndex((octet) => octet !== 0);
  const trimmed = start < 0 ? Buffer.from([0]) : Buffer.from(octets.subarray(start));
  return tlv(0x02, (trimmed[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), trimmed]) : trimmed);
}

/** `unused`: number of unused low bits in the last octet. */
export function bitString(content: Uint8Array, unused = 0): Buffer {
  return tlv(0x03, Buffer.from([unused]), content);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const octets = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) octets.unshift((rest % 128) | 0x80);
  return octets;
}

/** UTCTime or GeneralizedTime, by year (RFC 5280, 4.1.2.5). */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]|\.\d+/g, '');
  return at.getUTCFullYear() < 2050 ? tlv(0x17, Buffer.from(digits.slice(2))) : tlv(0x18, Buffer.from(digits));
}
