// A device as a CEL value, built once from the fields of a ResourceSlice and matched any number of times.
import type { DeviceAttribute, DeviceProperties } from '../model/objects.ts';
import { checkedInt, parseInt64 } from './int.ts';
import { DomainMap, StringMap } from './map.ts';
import { parseQuantity } from './quantityText.ts';
import { parseSemver } from './semver.ts';
import { CelError, CelList, isError, type Value } from './values.ts';

/** A device in the API's spelling. */
export interface DeviceFields extends DeviceProperties {
  readonly driver: string;
}

export interface DeviceValue {
  /** The value of the variable `device`. */
  readonly value: StringMap;
  readonly attributes: StringMap;
  readonly capacity: StringMap;
  /** Some attribute is a list; before Kubernetes 1.36 selectors cannot be matched against such a device. */
  readonly hasLists: boolean;
  /** Why no selector can be evaluated on this device; upstream converts all fields before it reads any. */
  readonly problem: CelError | undefined;
}

export function buildDevice(fields: DeviceFields): DeviceValue {
  const attributes = byDomain(fields.driver, fields.attributes ?? {}, attributeValue);
  const capacity = byDomain(fields.driver, fields.capacity ?? {}, capacityValue);
  const entries = new Map<string, Value>([
    ['driver', fields.driver],
    ['allowMultipleAllocations', fields.allowMultipleAllocations ?? false],
    ['attributes', attributes.map],
    ['capacity', capacity.map],
  ]);
  const hasLists = Object.values(fields.attributes ?? {}).some(isListed);
  const problem = driverProblem(fields) ?? attributes.problem ?? capacity.problem;
  return { value: new StringMap(entries), attributes: attributes.map, capacity: capacity.map, hasLists, problem };
}

function driverProblem({ driver, allowMultipleAllocations }: DeviceFields): CelError | undefined {
  if (typeof driver !== 'string') return new CelError('driver is not a string');
  const flag = typeof (allowMultipleAllocations ?? false);
  return flag === 'boolean' ? undefined : new CelError('allowMultipleAllocations is not a bool');
}

interface Domains {
  readonly map: DomainMap;
  readonly problem: CelError | undefined;
}

function byDomain<T>(driver: string, fields: Readonly<Record<string, T>>, convert: (field: T) => Value): Domains {
  const domains = new Map<string, Map<string, Value>>();
  let problem: CelError | undefined;
  for (const [name, field] of Object.entries(fields)) {
    const { domain, id } = parseName(name, driver);
    const value = domains.get(domain)?.has(id) ? new CelError('is declared twice') : convert(field);
    if (isError(value)) problem ??= new CelError(`${name}: ${value.message}`);
    domains.set(domain, (domains.get(domain) ?? new Map<string, Value>()).set(id, value));
  }
  const maps = new Map<string, Value>(Array.from(domains, ([domain, ids]) => [domain, new StringMap(ids)]));
  return { map: new DomainMap(maps), problem };
}

/** The part before the first slash is the domain; the default is the driver's name. */
function parseName(name: string, driver: string): { readonly domain: string; readonly id: string } {
  const slash = name.indexOf('/');
  return slash < 0 ? { domain: driver, id: name } : { domain: name.slice(0, slash), id: name.slice(slash + 1) };
}

const listFields = ['ints', 'bools', 'strings', 'versions'] as const;
const scalarFields = ['int', 'bool', 'string', 'version'] as const;
const unsupported = new CelError('unsupported attribute value');

/** An attribute that is not an object holds no list, and makes every selector fail. */
function isListed(attribute: unknown): boolean {
  return typeof attribute === 'object' && attribute !== null && listFields.some((name) => name in attribute);
}

function attributeValue(attribute: DeviceAttribute): Value {
  if (typeof attribute !== 'object' || attribute === null) return unsupported;
  const lists = listFields.filter((name) => attribute[name] !== undefined && attribute[name] !== null);
  const scalars = scalarFields.filter((name) => attribute[name] !== undefined && attribute[name] !== null);
  if (lists.length + scalars.length !== 1) return unsupported;
  const [scalar] = scalars;
  if (scalar) return scalarValue(scalar, attribute[scalar]);
  const [list] = lists;
  return list ? listValue(singular[list], attribute[list]) : unsupported;
}

const singular = { ints: 'int', bools: 'bool', strings: 'string', versions: 'version' } as const;

function listValue(kind: (typeof scalarFields)[number], items: unknown): Value {
  if (!Array.isArray(items)) return unsupported;
  const values = items.map((item) => scalarValue(kind, item));
  return values.find(isError) ?? new CelList(values);
}

function scalarValue(kind: (typeof scalarFields)[number], value: unknown): Value {
  switch (kind) {
    case 'int':
      return intValue(value);
    case 'bool':
      return typeof value === 'boolean' ? value : unsupported;
    case 'string':
      return typeof value === 'string' ? value.toWellFormed() : unsupported;
    case 'version':
      return typeof value === 'string'
        ? (parseSemver(value) ?? new CelError('parse semantic version: not a semantic version'))
        : unsupported;
  }
}

/** A number that JSON may have rounded is rejected; large ints arrive as text or bigint. */
function intValue(value: unknown): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value || 0 : new CelError('int is not exact');
  if (typeof value === 'bigint') return checkedInt(value);
  return (typeof value === 'string' ? parseInt64(value) : undefined) ?? unsupported;
}

function capacityValue(capacity: { readonly value: string }): Value {
  const value: unknown = typeof capacity === 'object' && capacity !== null ? capacity.value : capacity;
  // Hand-written JSON may contain a number; the API server reads it as its text.
  const text = typeof value === 'number' ? String(value) : value;
  return (typeof text === 'string' ? parseQuantity(text) : undefined) ?? new CelError('not a quantity');
}
