// Parses JSON of an API server, and keeps device ints beyond the precision of a double as text.

/** A quick check, so that large responses without such numbers are parsed at full speed. */
const longNumber = /\d{16}/;

/** An array element, until the name of its array is known. */
class Rounded {
  readonly value: number;
  readonly source: string;
  constructor(value: number, source: string) {
    this.value = value;
    this.source = source;
  }
}

/** Values of `int` and elements of `ints` become text if they are not safe integers; all other numbers are parsed normally. */
export function parseJson(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepInt) : JSON.parse(text);
}

function keepInt(this: unknown, key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (Array.isArray(value))
    return value.map((one) => (one instanceof Rounded ? (key === 'ints' ? one.source : one.value) : one));
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const { source = '' } = context ?? {};
  if (!/^-?\d+$/.test(source)) return value;
  if (Array.isArray(this)) return new Rounded(value, source);
  return key === 'int' ? source : value;
}
