// A HOME that is not writable: verbs that store nothing still answer, and config use fails with an error.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
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

/** Killed after 40 seconds, which no machine needs: Node's recursive mkdir never returns below /proc. */
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
    it('a verb that stores nothing answers although HOME is not writable', () => {
      const said = sluice(home, 'version', '-o', 'jsonpath={.platform}');
      expect(said).toEqual({ status: 0, stdout: `${process.platform}-${process.arch}\n`, stderr: '' });
    });
  },
);

describe.each(['/proc/1', '/proc/none', '/dev/null'])(
  'with HOME %s, where no folder can be created',
  { timeout: 60_000 },
  (home) => {
    it('config use fails when HOME is not writable, and the error names the file', () => {
      const { status, stderr } = sluice(home, 'config', 'use', 'mine', '--table', 'table');
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /^error: \/.*(: a part of its path is not a folder\nset SLUICE_TARGETS to another file\n| cannot be written: [^\n]*\nset SLUICE_TARGETS to a writable file\n)$/,
        ),
      });
    });
  },
);

it('a verb uses the home folder of the user where HOME is empty, and puts nothing into the folder it is called from', () => {
  const before = readdirSync(folder);
  const { status, stdout } = sluice('', 'config', 'view', '-o', 'json');
  expect({ status, file: JSON.parse(stdout).file }).toEqual({
    status: 0,
    file: path.join(userInfo().homedir, '.config', 'sluice', 'targets.json'),
  });
  expect(readdirSync(folder)).toEqual(before);
}, 60_000);

describe('makeFolder', () => {
  it('makeFolder creates a folder and private parents, and accepts a folder that already exists', () => {
    const target = path.join(folder, 'a', 'b', 'c');
    makeFolder(target);
    makeFolder(target);
    expect(statSync(path.join(folder, 'a')).mode & 0o777).toBe(0o700);
    expect(statSync(target).isDirectory()).toBe(true);
  });

  it.each(['file', 'file/below'])('makeFolder throws if a file is in the way: %s', (name) => {
    expect(() => makeFolder(path.join(folder, name))).toThrow(/EEXIST|ENOTDIR/);
  });
});
