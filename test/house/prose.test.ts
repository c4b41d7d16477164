// No text of the project uses the words of prose.yaml: comments, messages, test titles and pages say plainly who does what.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readText, trackedFiles } from './sources.ts';

interface Word {
  readonly find: string;
  readonly write: string;
  readonly why: string;
}

interface Allowed {
  readonly file: string;
  /** The line as it stands, without the space around it. */
  readonly line: string;
  readonly reason: string;
}

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly found: string;
  readonly write: string;
}

const list = 'test/house/prose.yaml';
const { words, allowed } = parse(readText(list)) as { words: readonly Word[]; allowed: readonly Allowed[] };
const files = trackedFiles().filter(
  (file) =>
    /\.(ts|mjs|js|md|ya?ml|tpl|txt|sh|py|go|svg|snap|json|1)$/.test(file) &&
    ![list, 'test/house/prose.test.ts', 'package-lock.json'].includes(file),
);

/** A space of a pattern also stands for the end of a line and the beginning of the next one, with its comment mark. */
function patternOf({ find }: Word): RegExp {
  return new RegExp(find.replaceAll(' ', String.raw`(?: |\n[ \t]*(?:\/\/|\*|#|>)?[ \t]*)`), 'gi');
}

const patterns = words.map((word) => ({ ...word, pattern: patternOf(word) }));

function findingsIn(file: string, text: string): readonly Finding[] {
  const lines = text.split('\n');
  return patterns.flatMap(({ pattern, write }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return { file, line, text: (lines[line - 1] ?? '').trim(), found: found.replace(/\s+/g, ' '), write };
    }),
  );
}

function isAllowed(finding: Finding): boolean {
  return allowed.some(({ file, line }) => file === finding.file && line === finding.text);
}

const findings = files.flatMap((file) => findingsIn(file, readText(file)));

describe('plain words', () => {
  it('every file uses plain words', () => {
    const said = findings
      .filter((one) => !isAllowed(one))
      .map(({ file, line, found, write }) => `${file}:${line}: "${found}": write ${write} (${list})`);
    expect(said.sort()).toEqual([]);
  });

  it('every exception covers a word that is still there, and has a reason', () => {
    const unused = allowed.filter(({ file, line }) => !findings.some((one) => one.file === file && one.text === line));
    expect(unused).toEqual([]);
    expect(allowed.filter(({ reason }) => !reason)).toEqual([]);
  });

  it('a forbidden word is found in a comment, a title, and over the end of a line', () => {
    const text =
      "// Nobody waits.\nit('begins anew', () => {\n  // What goes\n  // on here.\n  /** It is\n   * to be read. */";
    expect(findingsIn('a.ts', text).map(({ line, found }) => [line, found.replace(/ (\/\/|\*) /, ' ')])).toEqual([
      [1, 'Nobody'],
      [2, 'anew'],
      [3, 'goes on'],
      [5, 'is to be'],
    ]);
  });
});
