// A cache that a caller keeps between decisions, for values derived from a text or an immutable object.

/**
 * The cached value of `kind` for `key`, else the result of `make`. It must depend on the key alone: a caller without a cache gets the same
 * answers, only slower.
 */
export type Recall = <V>(kind: string, key: string | object, make: () => V) => V;

/**
 * `most`: maximum number of texts per kind; beyond it the oldest is evicted from the cache. Values of an object are freed with the object.
 */
export function createRecall(most = 1000): Recall {
  const texts = new Map<string, Map<string, unknown>>();
  const objects = new Map<string, WeakMap<object, unknown>>();
  return <V>(kind: string, key: string | object, make: () => V): V => {
    if (typeof key === 'object')
      return kept(
        mapOf(objects, kind, () => new WeakMap<object, unknown>()),
        key,
        make,
      );
    const known = mapOf(texts, kind, () => new Map<string, unknown>());
    // Stryker disable next-line ConditionalExpression,EqualityOperator,MethodExpression,StringLiteral: a smaller cache is only slower
    if (known.size >= most && !known.has(key)) known.delete(known.keys().next().value ?? '');
    return kept(known, key, make);
  };
}

/** Caches nothing. */
export const recallNothing: Recall = (_kind, _key, make) => make();

function kept<K, V>(
  known: { has(key: K): boolean; get(key: K): unknown; set(key: K, value: unknown): unknown },
  key: K,
  make: () => V,
): V {
  if (known.has(key)) return known.get(key) as V;
  const value = make();
  known.set(key, value);
  return value;
}

function mapOf<M>(maps: Map<string, M>, kind: string, make: () => M): M {
  const map = maps.get(kind) ?? make();
  maps.set(kind, map);
  return map;
}
