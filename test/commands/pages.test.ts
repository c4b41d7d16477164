// What is made from the definitions is what lies in the repository, and completion completes.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { program } from '../../lib/commands/definitions/index.ts';
import { completionScript, placesOf, shells } from '../../lib/commands/pages/completion.ts';
import { generatedPages } from '../../lib/commands/pages/generated.ts';
import { readText, root } from '../house/sources.ts';

describe('generated pages', () => {
  it.each([...generatedPages()])('%s is what npm run generate:commands writes', (file, text) => {
    expect(readText(file)).toBe(text);
  });

  it('are all of docs/man', () => {
    const files = readdirSync(path.join(root, 'docs', 'man')).map((file) => `docs/man/${file}`);
    expect(files.sort()).toEqual([...generatedPages().keys()].filter((file) => file.startsWith('docs/man/')).sort());
  });
});

/** What bash offers after these words. */
function offered(words: readonly string[]): readonly string[] {
  const typed = ['sluice', ...words].map((one) => `'${one}'`).join(' ');
  const asked = `${completionScript('bash', program)}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', asked], { encoding: 'utf8' }).trim().split('\n');
}

describe('completion', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['verbs by their beginning', ['pau'], ['pause', 'pauses']],
    ['kinds of get', ['get', 'p'], ['policies', 'pods']],
    ['options of a verb', ['get', 'rules', '--out'], ['--output']],
    ['options behind an argument', ['why', 'pod', 'some-name', '--lim'], ['--limit']],
    ['fixed choices', ['completion', 'z'], ['zsh']],
    ['nothing that is not there', ['get', 'nothing-like-it'], ['']],
  ])('in bash offers %s', (_, words, expected) => {
    expect(offered(words)).toEqual(expected);
  });

  it.each(shells)('for %s names every verb and every option', (shell) => {
    const script = completionScript(shell, program);
    const missing = placesOf(program).flatMap(({ words, flags }) =>
      [...words, ...flags].filter((one) => !script.includes(one)),
    );
    expect(missing).toEqual([]);
  });
});
