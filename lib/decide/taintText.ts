// Formats a taint for people, with its author's description.
import type { PacedTaint } from '../model/rule.ts';

/** Events are limited to 1024 bytes, and a terminal line is shorter; the object has the whole text. */
const longest = 200;

/** `key=value:effect`, or `key:effect` without a value, as kubectl writes taints. */
export function taintText({ key, value, effect }: Pick<PacedTaint, 'key' | 'value' | 'effect'>): string {
  return `${key}${value ? `=${value}` : ''}:${effect}`;
}

/** ` ("fans at 100 %")`, on one line; empty without a description. */
export function descriptionText({ description }: Pick<PacedTaint, 'description'>): string {
  const text = description?.replace(/\s+/g, ' ').trim();
  if (!text) return '';
  return ` ("${text.length > longest ? `${text.slice(0, longest - 3)}...` : text}")`;
}

/** The taint followed by its description. */
export function describeTaint(taint: Pick<PacedTaint, 'key' | 'value' | 'effect' | 'description'>): string {
  return `${taintText(taint)}${descriptionText(taint)}`;
}
