// Parses what an API server answers: an int of a device that a double cannot hold stays as the text that it was.

/** Costs a moment on megabytes of pods, where none has so long a number. */
const longNumber = /\d{16}/;

/** An element of a list, until it is known which list that is. */
class Rounded {
  readonly value: number;
  readonly source: string;
  constructor(value: number, source: string) {
    this.value = value;
    this.source = source;
  }
}

/** Members `int` and the elements of `ints` become text where they are no safe integers; all other numbers are as JSON has them. */
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
