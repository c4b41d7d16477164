// Deep equality that ignores the order of members, which DynamoDB does not keep.

export function isSame(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  const members = new Map(Object.entries(b));
  const entries = Object.entries(a);
  return (
    entries.length === members.size &&
    entries.every(([name, value]) => members.has(name) && isSame(value, members.get(name)))
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
