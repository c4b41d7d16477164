// IP addresses and networks as Kubernetes parses them: no zones, no IPv4 inside IPv6, no leading zeros.
import { CelError, Opaque, type Value } from './values.ts';

const overload = new CelError('no such overload');

export class Ip extends Opaque {
  override readonly kind = 'net.IP';
  /** 4 or 16 bytes. */
  readonly bytes: readonly number[];

  constructor(bytes: readonly number[]) {
    super();
    this.bytes = bytes;
  }

  override get size(): number {
    return this.bytes.length;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Ip ? sameBytes(this.bytes, other.bytes) : overload;
  }
}

export class Cidr extends Opaque {
  override readonly kind = 'net.CIDR';
  readonly ip: Ip;
  /** Length of the prefix. */
  readonly bits: number;

  constructor(ip: Ip, bits: number) {
    super();
    this.ip = ip;
    this.bits = bits;
  }

  override get size(): number {
    return Math.ceil(this.bits / 8);
  }

  override equals(other: Value): boolean | CelError {
    if (!(other instanceof Cidr)) return overload;
    return this.bits === other.bits && sameBytes(this.ip.bytes, other.ip.bytes);
  }
}

function sameBytes(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

/** The first `bits` bits, the rest zero. */
export function masked(ip: Ip, bits: number): Ip {
  return new Ip(ip.bytes.map((byte, index) => byte & (0xff00 >> Math.max(0, Math.min(8, bits - index * 8))) & 0xff));
}

export function contains(network: Cidr, ip: Ip): boolean {
  if (network.ip.bytes.length !== ip.bytes.length) return false;
  return sameBytes(masked(network.ip, network.bits).bytes, masked(ip, network.bits).bytes);
}

/** 4 or 16 bytes; undefined for anything that is not an address. */
export function addressBytes(text: string): readonly number[] | undefined {
  return text.includes(':') && !/^[^:]*\./.test(text) ? parseIpv6(text) : parseIpv4(text);
}

/** An address as the library accepts it: an IPv4 address in IPv6 notation is rejected. */
export function parseIp(text: string): Ip | undefined {
  const bytes = addressBytes(text);
  if (!bytes) return undefined;
  const mapped = bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0);
  return mapped && bytes[10] === 255 && bytes[11] === 255 ? undefined : new Ip(bytes);
}

function parseIpv4(text: string): readonly number[] | undefined {
  const fields = text.split('.');
  if (fields.length !== 4 || !fields.every((field) => /^(?:0|[1-9][0-9]{0,2})$/.test(field))) return undefined;
  const bytes = fields.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** Up to eight groups, one run of zeros omitted, the last two groups possibly as IPv4. */
function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = '', tail] = halves;
  const front = groupBytes(head, tail === undefined);
  const back = tail === undefined ? [] : groupBytes(tail, true);
  if (!front || !back) return undefined;
  const missing = 16 - front.length - back.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...front, ...new Array<number>(missing).fill(0), ...back];
}

function groupBytes(text: string, last: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    const embedded = last && index === groups.length - 1 && group.includes('.') ? parseIpv4(group) : undefined;
    if (embedded) bytes.push(...embedded);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return undefined;
  }
  return bytes;
}

export function parseCidr(text: string): Cidr | undefined {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return undefined;
  const ip = parseIp(text.slice(0, slash));
  const bits = text.slice(slash + 1);
  if (!ip || !/^(?:[0-9]|[1-9][0-9]{1,2})$/.test(bits)) return undefined;
  return Number(bits) <= ip.bytes.length * 8 ? new Cidr(ip, Number(bits)) : undefined;
}

export function ipText(ip: Ip): string {
  return ip.bytes.length === 4 ? ip.bytes.join('.') : ipv6Text(ip.bytes);
}

/** Lower-case hex; the longest run of at least two zero groups, the first of equals, becomes `::`. */
function ipv6Text(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0));
  let start = -1;
  let length = 1;
  for (let index = 0; index < 8; index++) {
    const run = groups.slice(index).findIndex((group) => group !== 0);
    const zeros = run < 0 ? 8 - index : run;
    if (zeros > length) [start, length] = [index, zeros];
  }
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  return start < 0 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

export function cidrText(network: Cidr): string {
  return `${ipText(network.ip)}/${network.bits}`;
}
