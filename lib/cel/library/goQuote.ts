// Go's double-quoted string notation (`%q`).

const named: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** Characters that are not printable are written as escapes; the space is the only white space that is printable. */
const unprintable = /[\p{C}\p{Z}]/u;

export function goQuoted(text: string): string {
  return `"${Array.from(text, quotedPoint).join('')}"`;
}

function quotedPoint(point: string): string {
  const short = named[point];
  if (short !== undefined) return short;
  if (point === ' ' || !unprintable.test(point)) return point;
  const code = point.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
