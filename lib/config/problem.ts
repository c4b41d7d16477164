// What is wrong with a configuration: where, and what to write instead.
import type { z } from 'zod';
import { at } from './at.ts';
import { nearestOf } from './nearest.ts';
import { textOf } from './problemText.ts';

export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  readonly text: string;
  /** The path is that of a key which must not be there. */
  readonly isKey?: true;
}

/** `clusters[0].auth.kind` */
export function formatPath(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );
}

/** `keysAt`: the keys that the schema knows at a path. */
export function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  keysAt: (path: Path) => readonly string[],
): readonly Problem[] {
  return issues.flatMap((issue): readonly Problem[] => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    if (issue.code !== 'unrecognized_keys') return [{ path, text: textOf(issue, at(input, ...path)) }];
    return issue.keys.map((key) => {
      const known = keysAt(path);
      const nearest = nearestOf(key, known);
      const help = nearest === undefined ? `known: ${known.join(', ')}` : `did you mean "${nearest}"?`;
      return { path: [...path, key], text: `there is no such key; ${help}`, isKey: true };
    });
  });
}
