// Problems of a configuration: path, and text that says what to write instead.
import type { z } from 'zod';
import { at } from './at.ts';
import { nearestOf } from './nearest.ts';
import { textOf } from './problemText.ts';

export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  readonly text: string;
  /** The path is that of a key that must not exist. */
  readonly isKey?: true;
}

/** `clusters[0].auth.kind` */
export function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, step) =>
      typeof step === 'number' ? `${text}[${step}]` : `${text}${text === '' ? '' : '.'}${visible(step)}`,
    '',
  );
}

/** In quotes if the key is empty or has a character that cannot be seen. */
function visible(key: string): string {
  if (/^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u.test(key)) return key;
  const escaped = (one: string) => `\\u{${one.codePointAt(0)?.toString(16)}}`;
  return JSON.stringify(key).replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escaped);
}

/** Lookups in the schema. */
export interface Known {
  /** Known keys at a path. */
  keysAt(path: Path): readonly string[];
  /** Paths with a key of that name. */
  placesOf(key: string): readonly string[];
  /** The number at the path as it is written; absent for another value. */
  numberAt?(path: Path): string | undefined;
}

export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  { keysAt, placesOf, numberAt }: Known,
): readonly Problem[] {
  const all = firstOfType(issues).flatMap((issue): readonly Problem[] => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code !== 'unrecognized_keys')
      return [{ path, text: textOf(issue, at(input, ...path), numberAt?.(path)) }];
    return issue.keys.map((key) => {
      const known = keysAt(path);
      // A key of another kind of the same object.
      if (known.includes(key))
        return {
          path: [...path, key],
          text: `"kind: ${at(input, ...path, 'kind')}" has no such key; remove it`,
          isKey: true,
        };
      const [elsewhere, ...others] = placesOf(key);
      const nearest = nearestOf(key, known) ?? partOf(key, known) ?? (others.length === 0 ? elsewhere : undefined);
      const help = nearest === undefined ? `known: ${known.join(', ')}` : `did you mean "${nearest}"?`;
      return { path: [...path, key], text: `there is no such key; ${help}`, isKey: true };
    });
  });
  // A number that is out of several ranges is told once.
  const told = new Set<string>();
  return all.filter(({ path, text }) => {
    const key = `${formatPath(path)}: ${text}`;
    const isNew = !told.has(key);
    told.add(key);
    return isNew;
  });
}

/** Keeps only the type error of a value with the wrong type: its other errors are misleading. */
function firstOfType(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const pathOf = ({ path }: z.core.$ZodIssue) => JSON.stringify(path);
  const ofType = new Set(issues.filter(({ code }) => code === 'invalid_type').map(pathOf));
  return issues.filter((issue) => issue.code === 'invalid_type' || !ofType.has(pathOf(issue)));
}

/** The only key that contains the name, else the only key contained in it: `certificateAuthority` for `authority`. */
function partOf(name: string, known: readonly string[]): string | undefined {
  const lower = name.toLowerCase();
  if (lower.length < shortestPart) return undefined;
  const around = known.filter((one) => one.toLowerCase().includes(lower));
  const within = known.filter((one) => lower.includes(one.toLowerCase()));
  const found = around.length > 0 ? around : within;
  return found.length > 1 ? undefined : found[0];
}

const shortestPart = 3;
