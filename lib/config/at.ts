// Reads nested values of unknown shape.

/** The value at the path, or `undefined`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? (inner as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}
