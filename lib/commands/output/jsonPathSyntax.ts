// What a path of `-o jsonpath=…` may consist of, checked before any data is read; pure.
import { JSONPath } from 'jsonpath-plus';
import { UsageFailure } from '../failure.ts';

export const quotes = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;

const name = String.raw`(?:[^.[\]\\()'"?=!<>~&|*,{}\s]|\\.)+`;
const inner = `(?:${quotes}|[^'"()])*`;
const nested = String.raw`(?:${quotes}|[^'"()]|\(${inner}\))*`;
const subscript = String.raw`\*|-?\d+(?:\s*,\s*-?\d+)*|-?\d*:-?\d*(?::-?\d+)?|(?:${quotes})(?:\s*,\s*(?:${quotes}))*|\??\(${nested}\)`;
const steps = new RegExp(String.raw`^[$@]?(?:\.{1,2}(?:\*|${name})|\.{0,2}\[\s*(?:${subscript})\s*\])*\.?\.?$`);

/** Throws UsageFailure for a path that jsonpath-plus would read as one that matches nothing. `text`: as the user wrote it. */
export function checkSyntax(text: string): void {
  if (!/^[$.@[]/.test(text))
    throw new UsageFailure(`{${text}} is not a path: a path must begin with a dot, as in {.items[*]}`);
  if (!steps.test(text) || (text.endsWith('.') && !/^[$@]?\.$/.test(text)))
    throw new UsageFailure(
      `{${text}} is not a path`,
      'write it as {.items[*].metadata.name} or {.items[?(@.a=="b")].c}',
    );
}

/** Throws UsageFailure for a filter that fails whatever the data is. `path`: as jsonpath-plus takes it. */
export function checkFilters(path: string): void {
  for (const step of JSONPath.toPathArray(path)) {
    if (!/^\??\(/.test(step)) continue;
    try {
      JSONPath({ path: `$[${step}]`, json: [anyValue], eval: 'safe', wrap: true });
    } catch (error) {
      const why = error instanceof Error ? error.message.replace(/^jsonPath: /, '') : error;
      throw new UsageFailure(`[${step}] is not a filter: ${why}`, 'write it as [?(@.a=="b")]');
    }
  }
}

/** Has every member, is every function, and compares with anything: only a wrong expression fails on it. */
const anyValue: object = new Proxy(() => {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => '' : anyValue),
  apply: () => anyValue,
});
