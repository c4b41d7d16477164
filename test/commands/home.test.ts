// A home in which nothing can be written: the command line answers, and what it wants to keep is an error or is left out.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder } from '../../lib/commands/makeFolder.ts';
import { root } from '../house/sources.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-home-'));
  writeFileSync(path.join(folder, 'file'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Ended after 40 seconds, which it takes on no machine: below /proc Node's recursive mkdir never returns. */
function sluice(home: string, ...words: readonly string[]) {
  const env = { PATH: process.env.PATH, HOME: home };
  const options = { cwd: folder, env, encoding: 'utf8', timeout: 40_000, killSignal: 'SIGKILL' } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(root, 'bin', 'sluice.ts'), ...words],
    options,
  );
  return { status, stdout, stderr };
}

describe.each(['/proc/1', '/proc/none', '/dev/null', '/nonexistent/home'])(
  'with HOME %s',
  { timeout: 60_000 },
  (home) => {
    it('a verb that keeps nothing answers', () => {
      const said = sluice(home, 'version', '-o', 'jsonpath={.platform}');
      expect(said).toEqual({ status: 0, stdout: `${process.platform}-${process.arch}\n`, stderr: '' });
    });
  },
);

describe.each(['/proc/1', '/proc/none', '/dev/null'])(
  'with HOME %s, where no folder can be made,',
  { timeout: 60_000 },
  (home) => {
    it('a name for an installation cannot be remembered, and the error names the file', () => {
      const { status, stderr } = sluice(home, 'config', 'use', 'mine', '--table', 'table');
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /^error: \/.* cannot be (read: ENOTDIR|written: [^\n]*\nset SLUICE_TARGETS to a file that can\n)/,
        ),
      });
    });
  },
);

describe('makeFolder', () => {
  it('makes a folder and those above it for this user alone, and does nothing where it is there', () => {
    const target = path.join(folder, 'a', 'b', 'c');
    makeFolder(target);
    makeFolder(target);
    expect(statSync(path.join(folder, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(target).isDirectory()).toBe(true);
  });

  it.each(['file', 'file/below'])('throws where %s is in the way', (name) => {
    expect(() => makeFolder(path.join(folder, name))).toThrow(/EEXIST|ENOTDIR/);
  });
});
