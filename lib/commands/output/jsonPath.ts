// Templates of `-o jsonpath=…` as in kubectl: text, quoted text, `{path}`, `{range path}…{end}`; jsonpath-plus evaluates paths.
import { JSONPath } from 'jsonpath-plus';
import { UsageFailure } from '../failure.ts';
import { checkFilters, checkSyntax, quotes } from './jsonPathSyntax.ts';

type Part =
  | { readonly kind: 'Text'; readonly text: string }
  | { readonly kind: 'Path'; readonly path: string }
  | { readonly kind: 'Range'; readonly path: string; readonly parts: Part[] };

/** Throws UsageFailure for an invalid template. The result joins the values of a path with spaces, and prints objects as JSON. */
export function compileJsonPath(template: string): (value: unknown) => string {
  const parts = partsOf(template);
  return (value) => render(parts, value);
}

function render(parts: readonly Part[], value: unknown): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case 'Text':
          return part.text;
        case 'Path':
          return valuesOf(part.path, value).map(textOf).join(' ');
        case 'Range':
          return valuesOf(part.path, value)
            .map((one) => render(part.parts, one))
            .join('');
        default:
          return part satisfies never;
      }
    })
    .join('');
}

const inBraces = String.raw`\{((?:${quotes}|[^{}])*)\}`;

/** An open range collects the parts up to its `{end}`. */
function partsOf(template: string): readonly Part[] {
  // Like kubectl, a template without braces is one path.
  const text = template.includes('{') ? template : `{${template}}`;
  if (text === '' || /[{}]/.test(text.replace(new RegExp(inBraces, 'g'), '')))
    throw new UsageFailure(`the template "${template}" has an unbalanced brace`);
  const open: Part[][] = [[]];
  for (const [, plain = '', inner] of text.matchAll(new RegExp(`([^{}]*)(?:${inBraces})?`, 'g'))) {
    if (plain !== '') open.at(-1)?.push({ kind: 'Text', text: plain });
    if (inner !== undefined) place(inner.trim(), open);
  }
  if (open.length > 1) throw new UsageFailure(`the template "${template}" has a {range} without its {end}`);
  return open[0] ?? [];
}

function place(inner: string, open: Part[][]): void {
  const [, ranged] = /^range\s+(.*)$/s.exec(inner) ?? [];
  if (ranged !== undefined) {
    const parts: Part[] = [];
    open.at(-1)?.push({ kind: 'Range', path: pathOf(ranged), parts });
    open.push(parts);
  } else if (inner === 'end') {
    if (open.length === 1) throw new UsageFailure('the template has an {end} without its {range}');
    open.pop();
  } else {
    open
      .at(-1)
      ?.push(/^["']/.test(inner) ? { kind: 'Text', text: quoted(inner) } : { kind: 'Path', path: pathOf(inner) });
  }
}

/** Converts kubectl's path syntax to jsonpath-plus: escaped dots become brackets, unions lose their quotes. */
function pathOf(text: string): string {
  checkSyntax(text);
  const converted = text
    .replace(/\[('(?:[^'\\]|\\.)*'(?:\s*,\s*'(?:[^'\\]|\\.)*')*)\]/g, (_, names: string) => {
      const plain = [...names.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, name = '']) => unescaped(name));
      return plain.length === 1 ? `['${plain[0]}']` : `[${plain.join(',')}]`;
    })
    // Like kubectl, counts from the end.
    .replace(/\[\s*-(\d+)\s*\]/g, (_, back: string) => (back === '1' ? '[-1:]' : `[-${back}:-${Number(back) - 1}]`))
    .replace(
      /(\.?)\.((?:[^.[\]\\()'"?=!<>~&| ]|\\.)*\\.(?:[^.[\]\\()'"?=!<>~&| ]|\\.)*)/g,
      (_, deep: string, name: string) => `${deep === '' ? '' : '..'}['${unescaped(name)}']`,
    );
  const path = converted.startsWith('$') ? converted : `$${converted.replace(/^@/, '')}`;
  checkFilters(path);
  return path;
}

function unescaped(name: string): string {
  return name.replace(/\\(.)/g, '$1');
}

/** Like kubectl, treats single quotes as double quotes. */
function quoted(text: string): string {
  if (!new RegExp(`^(?:${quotes})$`).test(text))
    throw new UsageFailure(`${text} is not a valid quoted string in a template`);
  const double = text.startsWith("'")
    ? `"${text.slice(1, -1).replace(/\\'|"/g, (one) => (one === '"' ? '\\"' : "'"))}"`
    : text;
  try {
    return String(JSON.parse(double));
  } catch {
    throw new UsageFailure(`${text} is not a valid quoted string in a template`);
  }
}

function valuesOf(path: string, json: unknown): readonly unknown[] {
  if (path === '$') return [json];
  // A scalar has no members; jsonpath-plus would throw.
  if (typeof json !== 'object' || json === null) return [];
  // `safe`: filters run in an expression interpreter, never in JavaScript eval. Like kubectl, an object without the member does not match.
  return JSONPath({ path, json, eval: 'safe', ignoreEvalErrors: true, wrap: true }) as readonly unknown[];
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
