// The templates of `-o jsonpath=…`: text, quoted text and `{path}` as kubectl writes them; paths are evaluated by jsonpath-plus.
import { JSONPath } from 'jsonpath-plus';
import { UsageFailure } from '../failure.ts';

type Part = { readonly kind: 'Text'; readonly text: string } | { readonly kind: 'Path'; readonly path: string };

/** Values of one path are joined by a space; objects are printed as JSON. */
export function renderJsonPath(template: string, value: unknown): string {
  return partsOf(template)
    .map((part) => (part.kind === 'Text' ? part.text : valuesOf(part.path, value).map(textOf).join(' ')))
    .join('');
}

function partsOf(template: string): readonly Part[] {
  // A template without braces is one path, as kubectl reads it.
  const text = template.includes('{') ? template : `{${template}}`;
  const parts: Part[] = [];
  for (const [, plain = '', inner] of text.matchAll(/([^{}]*)(?:\{((?:"(?:[^"\\]|\\.)*"|[^{}])*)\})?/g)) {
    if (plain !== '') parts.push({ kind: 'Text', text: plain });
    if (inner !== undefined) parts.push(partOf(inner.trim()));
  }
  const read = parts.length > 0 && !/[{}]/.test(text.replace(/\{((?:"(?:[^"\\]|\\.)*"|[^{}])*)\}/g, ''));
  if (!read) throw new UsageFailure(`the template "${template}" has a brace without its other one`);
  return parts;
}

function partOf(inner: string): Part {
  if (inner.startsWith('"')) return { kind: 'Text', text: quoted(inner) };
  if (/^(range\b|end$)/.test(inner))
    throw new UsageFailure(`{${inner}} is not supported in a template`, 'name the values by one path, or use: -o json');
  if (!/^[$.@[]/.test(inner))
    throw new UsageFailure(`{${inner}} is not a path: it begins with a dot, as in {.items[*]}`);
  return { kind: 'Path', path: inner.startsWith('$') ? inner : `$${inner.replace(/^@/, '')}` };
}

function quoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    throw new UsageFailure(`${text} in a template is not a quoted text`);
  }
}

function valuesOf(path: string, json: unknown): readonly unknown[] {
  try {
    // `safe`: filters are evaluated by an interpreter of expressions, never by this process's own eval.
    return JSONPath({ path, json: json as object, eval: 'safe', wrap: true }) as readonly unknown[];
  } catch (error) {
    throw new UsageFailure(`the path ${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
