// Regular expressions in RE2 syntax, matched in linear time.
import { RE2JS, RE2JSException } from 're2js';
import type { Recall } from '../model/recall.ts';
import type { Meter } from './meter.ts';
import { CelError } from './values.ts';

/** A compiled expression; positions are UTF-16 units. */
export class Pattern {
  readonly #compiled: RE2JS;
  /** Automaton instructions: each character may take that many steps. */
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

  /** Matches that do not overlap; an empty match right after another one does not count, as in Go. */
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

/** An error for a pattern RE2 does not take: look-around, back-references, repeats beyond 1,000. */
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

/** What is quoted, escaped or in a class, and the beginning of a named group. */
const named = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\(\?P?<\w+>/g;

/** Go takes two groups of one name, and no selector can ask for a group by its name. */
function unnamed(text: string): string {
  return text.replace(named, (part) => (part.startsWith('(?') ? '(' : part));
}

/** Linear is not small: a thousand-state pattern over a megabyte is refused before it runs. */
export function announce(meter: Meter, pattern: Pattern, text: string): void {
  meter.work(Math.ceil((pattern.size * text.length) / 4));
}

/** A pattern known only at run time, whose compilation is work too. */
export function dynamicPattern(meter: Meter, text: string): Pattern | CelError {
  meter.work(text.length * 16);
  const pattern = compiledPattern(text, meter.recall);
  if (pattern instanceof Pattern) meter.work(pattern.size);
  return pattern;
}
