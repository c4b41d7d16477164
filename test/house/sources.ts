// The files of this project and what each of them imports.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { type Token, tokensOf } from './tokens.ts';

export const root = path.join(import.meta.dirname, '..', '..');

export function readText(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** Source files under folders, with `/` and relative to the root. */
export function sourcesUnder(...folders: readonly string[]): readonly string[] {
  return folders
    .flatMap((folder) => filesUnder(folder))
    .filter((file) => /\.(ts|mjs|js)$/.test(file))
    .sort();
}

/** Files that git tracks; outside a checkout all files but what .gitignore names. */
export function trackedFiles(): readonly string[] {
  try {
    const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    return listed.split('\0').filter((file) => file !== '');
  } catch {
    return filesUnder('.').map((file) => path.normalize(file));
  }
}

const ignored = /^(\.git|node_modules|cdk\.out|coverage|reports|\.cache|bin\/.*\.log)$/;

function filesUnder(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => !ignored.test(entry.name))
    .flatMap((entry) => {
      const name = path.posix.join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(name) : [name];
    });
}

export interface Import {
  readonly from: string;
  /** A file of this project, or the name of a package or `node:` module. */
  readonly to: string;
  readonly line: number;
  readonly isFile: boolean;
}

/** Static, dynamic and type imports, and what is exported from elsewhere. */
export function importsOf(file: string, tokens: readonly Token[] = tokensOf(readText(file))): readonly Import[] {
  return tokens.flatMap((token, i) => {
    if (token.kind !== SyntaxKind.StringLiteral) return [];
    const before = tokens[i - 1]?.kind;
    const isFrom = before === SyntaxKind.FromKeyword || before === SyntaxKind.ImportKeyword;
    const isCall = before === SyntaxKind.OpenParenToken && tokens[i - 2]?.kind === SyntaxKind.ImportKeyword;
    return isFrom || isCall ? [importOf(file, token)] : [];
  });
}

function importOf(file: string, { text, line }: Token): Import {
  if (!text.startsWith('.')) return { from: file, to: text, line, isFile: false };
  return { from: file, to: path.posix.join(path.posix.dirname(file), text), line, isFile: true };
}

/** Circles of imports, each as the files on it; type imports count, because a reader has to follow them too. */
export function cyclesOf(imports: readonly Import[]): readonly (readonly string[])[] {
  const next = new Map<string, string[]>();
  for (const { from, to, isFile } of imports) if (isFile) next.set(from, [...(next.get(from) ?? []), to]);
  const cycles: string[][] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) cycles.push([...trail.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    for (const one of next.get(file) ?? []) visit(one, [...trail, file]);
    done.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return cycles;
}

/** All files and packages that a file imports, directly or not. */
export function reachableFrom(file: string, imports: readonly Import[]): ReadonlySet<string> {
  const reached = new Set([file]);
  for (const one of reached) for (const { from, to } of imports) if (from === one) reached.add(to);
  return reached;
}

/** As GitHub makes anchors of headings. */
export function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}
