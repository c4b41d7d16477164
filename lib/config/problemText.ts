// Text of a validation problem: the written value, and what it must be.
import type { z } from 'zod';
import { nearestOf } from './nearest.ts';

type Issue = z.core.$ZodIssue;

const typeNames: Readonly<Record<string, string>> = {
  object: 'a mapping of keys to values',
  record: 'a mapping of keys to values',
  array: 'a list',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

/** `written`: a number as it is written, where the value lacks a leading 0. */
export function textOf(issue: Issue, value: unknown, written?: string): string {
  const allowed = allowedBy(issue);
  if (value === undefined) return allowed.length > 0 ? `it is missing; it must be ${listed(allowed)}` : 'it is missing';
  // A text from the schema is more specific than the general ones below.
  if (issue.message.startsWith('must ')) return `${Array.isArray(value) ? 'it' : show(value)} ${issue.message}`;
  if (allowed.length > 0) {
    const meant = typeof value === 'string' ? nearestOf(value, allowed.map(String)) : undefined;
    return `${show(value)} must be ${listed(allowed)}${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
  }
  const isForText = issue.code === 'invalid_type' && issue.expected === 'string';
  const shown = isForText && written !== undefined ? written : show(value);
  return `${shown} ${requirement(issue, value)}`;
}

/** Allowed single values; empty if the issue is not about such a choice. */
function allowedBy(issue: Issue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values;
  if (issue.code !== 'invalid_union') return [];
  if ('options' in issue && issue.options) return issue.options;
  return issue.errors.flatMap(([first]) => {
    if (first?.code === 'invalid_value') return first.values;
    return first?.code === 'invalid_type' && first.expected === 'boolean' ? ['true', 'false'] : [];
  });
}

function requirement(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'string' && typeof value === 'number') return 'must be text: put it in quotes';
      if (typeof value === 'number' && !Number.isFinite(value)) return 'must be a finite number';
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return bound(issue.origin, `at least ${issue.minimum}`);
    case 'too_big':
      return bound(issue.origin, `at most ${issue.maximum}`);
    case 'invalid_key':
      return 'has a key of a wrong form: 1 to 128 characters';
    default:
      return `is refused: ${issue.message}`;
  }
}

function bound(origin: string, limit: string): string {
  return origin === 'string' ? `must have ${limit} characters` : `must be ${limit}`;
}

function listed(values: readonly unknown[]): string {
  const words = values.map(String);
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const longestShown = 80;

function show(value: unknown): string {
  if (value === null) return 'an empty value';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > longestShown ? `${text.slice(0, longestShown - 1)}…` : text;
}
