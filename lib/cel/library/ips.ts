// The Kubernetes IP and CIDR libraries.
import { ofArgument, sizeOf, traversal } from '../costs.ts';
import { type Cost, costing, type FunctionDeclaration, fn, global, type Implementation, member } from '../declare.ts';
import { Cidr, contains, Ip, ipText, masked, parseCidr, parseIp } from '../ip.ts';
import { bool, cidr, intType, ip, string } from '../types.ts';
import { CelError, type Value } from '../values.ts';

const overload = new CelError('no such overload');

function ofIp(run: (bytes: readonly number[]) => Value): Implementation {
  return (_, value) => (value instanceof Ip ? run(value.bytes) : overload);
}

function ofCidr(run: (network: Cidr) => Value): Implementation {
  return (_, value) => (value instanceof Cidr ? run(value) : overload);
}

function ofText(run: (text: string) => Value): Implementation {
  return (_, value) => (typeof value === 'string' ? run(value) : overload);
}

const notIp = (text: string) => new CelError(`IP Address ${JSON.stringify(text)} is not valid`);
const notCidr = (text: string) => new CelError(`network address ${JSON.stringify(text)} is not valid`);
const startsWith = (bytes: readonly number[], ...start: readonly number[]) => start.every((b, i) => bytes[i] === b);
const isV4 = (bytes: readonly number[]) => bytes.length === 4;
const isZero = (bytes: readonly number[]) => bytes.every((byte) => byte === 0);

function isLoopback(bytes: readonly number[]): boolean {
  return isV4(bytes) ? bytes[0] === 127 : isZero(bytes.slice(0, 15)) && bytes[15] === 1;
}

function isLinkLocalMulticast(bytes: readonly number[]): boolean {
  return isV4(bytes) ? startsWith(bytes, 224, 0, 0) : bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 2;
}

function isLinkLocalUnicast(bytes: readonly number[]): boolean {
  return isV4(bytes) ? startsWith(bytes, 169, 254) : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

function isMulticast(bytes: readonly number[]): boolean {
  return isV4(bytes) ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isGlobalUnicast(bytes: readonly number[]): boolean {
  const special = [isZero, isLoopback, isMulticast, isLinkLocalUnicast].some((test) => test(bytes));
  return !special && !(isV4(bytes) && bytes.every((byte) => byte === 255));
}

function containsIp(_: unknown, network: Value, other: Value): Value {
  const address = typeof other === 'string' ? (parseIp(other) ?? notIp(other)) : other;
  if (address instanceof CelError) return address;
  return network instanceof Cidr && address instanceof Ip ? contains(network, address) : overload;
}

function containsCidr(_: unknown, network: Value, other: Value): Value {
  const inner = typeof other === 'string' ? (parseCidr(other) ?? notCidr(other)) : other;
  if (inner instanceof CelError) return inner;
  if (!(network instanceof Cidr) || !(inner instanceof Cidr)) return overload;
  return network.bits <= inner.bits && contains(network, inner.ip);
}

/** Kubernetes 1.31 compares the network with the unmasked inner address, so most answers are false there. */
function containsCidrOf131(_: unknown, network: Value, other: Value): Value {
  const inner = typeof other === 'string' ? (parseCidr(other) ?? notCidr(other)) : other;
  if (inner instanceof CelError) return inner;
  if (!(network instanceof Cidr) || !(inner instanceof Cidr)) return overload;
  const same = masked(network.ip, network.bits).equals(inner.ip) === true;
  return same && network.bits <= inner.bits;
}

const size = (value: Value | undefined) => sizeOf(value ?? null);
const containsIpCost: Cost = ([network]) => traversal(2 * size(network));
const containsCidrCost: Cost = ([network]) => traversal(2 * size(network)) + traversal(size(network)) + 1;
const withText =
  (cost: Cost): Cost =>
  (args, result) =>
    cost(args, result) + traversal(size(args[1]));

const test = (name: string, holds: (bytes: readonly number[]) => boolean) =>
  fn(name, member(`ip_${name}`, [ip, bool], ofIp(holds)));

export const ips: readonly FunctionDeclaration[] = [
  costing(
    ofArgument(0),
    fn(
      'ip',
      global(
        'string_to_ip',
        [string, ip],
        ofText((text) => parseIp(text) ?? notIp(text)),
      ),
    ),
  ),
  fn('ip', {
    ...member(
      'cidr_ip',
      [cidr, ip],
      ofCidr((network) => network.ip),
    ),
    cost: () => 1,
  }),
  costing(
    ofArgument(0),
    fn(
      'isIP',
      global(
        'is_ip',
        [string, bool],
        ofText((text) => parseIp(text) !== undefined),
      ),
    ),
  ),
  costing(
    ofArgument(0, 2),
    fn(
      'ip.isCanonical',
      global(
        'ip_is_canonical',
        [string, bool],
        ofText((text) => {
          const address = parseIp(text);
          return address ? ipText(address) === text : notIp(text);
        }),
      ),
    ),
  ),
  fn(
    'family',
    member(
      'ip_family',
      [ip, intType],
      ofIp((bytes) => (isV4(bytes) ? 4 : 6)),
    ),
  ),
  test('isUnspecified', isZero),
  test('isLoopback', isLoopback),
  test('isLinkLocalMulticast', isLinkLocalMulticast),
  test('isLinkLocalUnicast', isLinkLocalUnicast),
  test('isGlobalUnicast', isGlobalUnicast),
  costing(
    ofArgument(0),
    fn(
      'cidr',
      global(
        'string_to_cidr',
        [string, cidr],
        ofText((text) => parseCidr(text) ?? notCidr(text)),
      ),
    ),
  ),
  costing(
    ofArgument(0),
    fn(
      'isCIDR',
      global(
        'is_cidr',
        [string, bool],
        ofText((text) => parseCidr(text) !== undefined),
      ),
    ),
  ),
  costing(
    containsIpCost,
    fn(
      'containsIP',
      { ...member('cidr_contains_ip_string', [cidr, string, bool], containsIp), cost: withText(containsIpCost) },
      member('cidr_contains_ip_ip', [cidr, ip, bool], containsIp),
    ),
  ),
  fn(
    'prefixLength',
    member(
      'cidr_prefix_length',
      [cidr, intType],
      ofCidr((network) => network.bits),
    ),
  ),
  fn(
    'masked',
    member(
      'cidr_masked',
      [cidr, cidr],
      ofCidr((network) => new Cidr(masked(network.ip, network.bits), network.bits)),
    ),
  ),
];

function containing(run: Implementation): readonly FunctionDeclaration[] {
  const ofString = member('cidr_contains_cidr_string', [cidr, string, bool], run);
  const costed = { ...ofString, cost: withText(containsCidrCost) };
  return [costing(containsCidrCost, fn('containsCIDR', costed, member('cidr_contains_cidr', [cidr, cidr, bool], run)))];
}

export const networks = containing(containsCidr);
export const networksOf131 = containing(containsCidrOf131);
