// Regular expressions in RE2 syntax, matched in linear time.
import { RE2JS, RE2JSException } from 're2js';
import type { Recall } from '../model/recall.ts';
import type { Meter } from './meter.ts';
import { CelError } from './values.ts';

/** A compiled expression; positions are UTF-16 units. */
export class Pattern {
  readonly #compiled: RE2JS;
  /** Number of automaton instructions: each character may take that many steps. */
  readonly size: number;

  constructor(compiled: RE2JS) {
    this.#compiled = compiled;
    this.size = compiled.matcher('').programSize();
  }

  found(text: string): boolean {
    return this.#compiled.test(text);
  }

  /** The leftmost match, or the empty string. */
  first(text: string): string {
    const matcher = this.#compiled.matcher(text);
    return matcher.find() ? text.slice(matcher.start(), matcher.end()) : '';
  }

  /** Non-overlapping matches; an empty match right after another match is skipped, as in Go. */
  all(text: string, limit: number): string[] {
    const result: string[] = [];
    const matcher = this.#compiled.matcher(text);
    let previousEnd = -1;
    for (let at = 0; result.length < limit && at <= text.length && matcher.find(at); ) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (end > start || start !== previousEnd) result.push(text.slice(start, end));
      at = end > at ? end : at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
      previousEnd = end;
    }
    return result;
  }
}

/** Patterns longer than this are refused; a selector as a whole may not be longer. */
const maxLength = 10_240;

/** An error for a pattern that RE2 rejects: look-around, back-references, repeats beyond 1,000. */
export function compiledPattern(text: string, recall: Recall): Pattern | CelError {
  return recall('pattern', text, () => compile(text));
}

function compile(text: string): Pattern | CelError {
  if (text.length > maxLength) return new CelError('regular expression is too long');
  try {
    return new Pattern(RE2JS.compile(text));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const plain = error.message.includes('duplicate capture group name') ? unnamed(text) : text;
    return plain === text ? new CelError(error.message) : compile(plain);
  }
}

/** Matches quoted, escaped and bracketed text, and the start of a named group. */
const named = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\(\?P?<\w+>/g;

/** Removes group names: Go accepts two groups with one name, and selectors cannot refer to groups by name. */
function unnamed(text: string): string {
  return text.replace(named, (part) => (part.startsWith('(?') ? '(' : part));
}

/** Linear time can still be long: a thousand-state pattern on a megabyte is refused before it runs. */
export function announce(meter: Meter, pattern: Pattern, text: string): void {
  meter.work(Math.ceil((pattern.size * text.length) / 4));
}

/** A pattern known only at run time; its compilation counts as work. */
export function dynamicPattern(meter: Meter, text: string): Pattern | CelError {
  meter.work(text.length * 16);
  const pattern = compiledPattern(text, meter.recall);
  if (pattern instanceof Pattern) meter.work(pattern.size);
  return pattern;
}
