// Which installs the launcher takes for complete, and what it does about any other.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = path.join(import.meta.dirname, '..', '..', 'scripts', 'install.mjs');

/** Its own process, because the launcher is plain JavaScript that no TypeScript imports. */
function ask(expression: string, env: Readonly<Record<string, string>> = {}): unknown {
  const text = `import * as install from ${JSON.stringify(script)}; console.log(JSON.stringify(await (async () => ${expression})()))`;
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  const args = ['--input-type=module', '--eval', text];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env }, stdio }));
}

describe('an install', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-install-'));
    mkdirSync(path.join(folder, 'local'));
    writeFileSync(
      path.join(folder, 'local', 'package.json'),
      JSON.stringify({ name: 'needed', version: '1.0.0', bin: 'index.js' }),
    );
    writeFileSync(path.join(folder, 'local', 'index.js'), 'module.exports = 1;\n');
    execFileSync('npm', ['pack', '--silent'], { cwd: path.join(folder, 'local'), stdio: 'ignore' });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (packages: Readonly<Record<string, object>>, dependencies: object) => {
    const root = { name: 'tried', version: '1.0.0', ...dependencies };
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify(root));
    const lock = { name: 'tried', version: '1.0.0', lockfileVersion: 3, requires: true };
    writeFileSync(
      path.join(folder, 'package-lock.json'),
      JSON.stringify({ ...lock, packages: { '': root, ...packages } }),
    );
  };
  const tarball = () => `file:${path.join(folder, 'local', 'needed-1.0.0.tgz')}`;
  const needed = () => ({ version: '1.0.0', resolved: tarball(), bin: { needed: 'index.js' } });
  const withNeeded = () => write({ 'node_modules/needed': needed() }, { dependencies: { needed: tarball() } });
  const install = () =>
    ask(
      `{ try { install.install('${folder}', '${folder}/.cache'); return 'done' } catch (error) { return error.message } }`,
    );
  const state = () => ask(`install.installProblem('${folder}') ?? 'complete'`);

  it('an install is complete when every package of the lock file is there', () => {
    withNeeded();
    expect(state()).toBe('nothing is installed');
    expect(install()).toBe('done');
    expect(state()).toBe('complete');
    expect(readdirSync(path.join(folder, '.cache'))).toEqual([]);
  });

  it('an install that lost a package is incomplete, and is repaired', () => {
    withNeeded();
    install();
    rmSync(path.join(folder, 'node_modules', 'needed'), { recursive: true });
    expect(state()).toBe('node_modules/needed is missing');
    expect(install()).toBe('done');
    expect(state()).toBe('complete');
  });

  it('an install with an emptied, shortened or removed file or link is incomplete, and is repaired', () => {
    withNeeded();
    install();
    const incomplete = 'it is not a complete installation of package-lock.json';
    const installed = path.join(folder, 'node_modules');
    const damages = [
      ['needed/index.js', (file: string) => writeFileSync(file, ''), 'node_modules/needed/index.js has another size'],
      ['needed/index.js', (file: string) => truncateSync(file, 3), 'node_modules/needed/index.js has another size'],
      ['needed/index.js', rmSync, 'node_modules/needed/index.js is missing'],
      ['.bin/needed', rmSync, 'node_modules/.bin/needed is missing'],
      ['.sluice-lock', (file: string) => writeFileSync(file, ''), incomplete],
      ['.sluice-lock', (file: string) => truncateSync(file, 80), incomplete],
    ] as const;
    for (const [name, damage, problem] of damages) {
      cpSync(installed, path.join(folder, 'whole'), { recursive: true, verbatimSymlinks: true });
      damage(path.join(installed, name));
      expect(state(), name).toBe(problem);
      if (name === '.bin/needed') expect(install()).toBe('done');
      else {
        rmSync(installed, { recursive: true });
        renameSync(path.join(folder, 'whole'), installed);
      }
      rmSync(path.join(folder, 'whole'), { recursive: true, force: true });
      expect(state(), name).toBe('complete');
    }
  });

  it('an install is complete with files that tools added to it', () => {
    withNeeded();
    install();
    mkdirSync(path.join(folder, 'node_modules', '.vite'));
    writeFileSync(path.join(folder, 'node_modules', '.vite', 'results.json'), '{}');
    expect(state()).toBe('complete');
  });

  it('an install that was killed leaves no complete installation, and the next one removes its folder', async () => {
    withNeeded();
    const bin = path.join(folder, 'bin');
    mkdirSync(bin);
    // An npm that never ends.
    writeFileSync(path.join(bin, 'npm'), '#!/bin/sh\necho started\nexec sleep 600 >&2\n', { mode: 0o755 });
    const text = `import { install } from ${JSON.stringify(script)}; console.log('started'); install('${folder}', '${folder}/.cache')`;
    const killed = spawn(process.execPath, ['--input-type=module', '--eval', text], {
      detached: true,
      env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const making = path.join(folder, '.cache', `install-${killed.pid}`);
    await once(killed.stdout, 'data');
    while (!existsSync(path.join(making, 'package.json'))) await setTimeout(5);
    process.kill(-(killed.pid ?? 0), 'SIGKILL');
    await once(killed, 'exit');
    expect(existsSync(making)).toBe(true);
    expect(state()).toBe('nothing is installed');
    expect(install()).toBe('done');
    expect(readdirSync(path.join(folder, '.cache'))).toEqual([]);
    expect(state()).toBe('complete');
  });

  it('an install succeeds while the npm of a killed one still writes, and leaves that folder to a later one', async () => {
    withNeeded();
    const ended = spawn('true');
    await once(ended, 'close');
    const abandoned = path.join(folder, '.cache', `install-${ended.pid}`);
    const writing = `const { mkdirSync, writeFileSync } = require('node:fs'); const path = require('node:path');
      process.stdout.write('on');
      for (let i = 0; i < 1e7; i++) try {
        const inner = path.join(${JSON.stringify(abandoned)}, 'a' + (i % 7), 'b' + (i % 11));
        mkdirSync(inner, { recursive: true }); writeFileSync(path.join(inner, String(i % 99)), '');
      } catch {}`;
    const writers = [1, 2, 3].map(() =>
      spawn(process.execPath, ['--eval', writing], { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    try {
      await Promise.all(writers.map(({ stdout }) => once(stdout, 'data')));
      await expect.poll(() => existsSync(abandoned)).toBe(true);
      expect(install()).toBe('done');
      expect(state()).toBe('complete');
    } finally {
      for (const one of writers) {
        one.kill('SIGKILL');
        await once(one, 'close');
      }
    }
    install();
    expect(readdirSync(path.join(folder, '.cache'))).toEqual([]);
  });

  it('an install by npm itself is not known to be complete, and is made again', () => {
    withNeeded();
    execFileSync('npm', ['ci', '--silent', '--offline'], { cwd: folder, stdio: 'ignore' });
    expect(state()).toBe('nothing says that it is complete, as after npm ci by hand');
    expect(install()).toBe('done');
    expect(state()).toBe('complete');
  });

  it('an install of another lock file is incomplete', () => {
    withNeeded();
    install();
    write({ 'node_modules/needed': { ...needed(), license: 'MIT' } }, { dependencies: { needed: tarball() } });
    expect(state()).toBe('package-lock.json has changed since');
  });

  it('an install without network fails, and keeps the packages that were there', () => {
    withNeeded();
    install();
    rmSync(path.join(folder, 'local'), { recursive: true });
    write(
      { 'node_modules/needed': { ...needed(), integrity: 'sha512-other' } },
      { dependencies: { needed: tarball() } },
    );
    expect(install()).toMatch(/^npm ci ended with/);
    expect(readFileSync(path.join(folder, 'node_modules', 'needed', 'package.json'), 'utf8')).toContain('needed');
    expect(state()).toBe('package-lock.json has changed since');
  });

  it('an install fails if npm left out an optional package for this machine', () => {
    const gone = `file:${path.join(folder, 'gone-1.0.0.tgz')}`;
    const own = { version: '1.0.0', resolved: gone, optional: true, os: [process.platform], cpu: [process.arch] };
    write({ 'node_modules/gone': own }, { optionalDependencies: { gone } });
    expect(install()).not.toBe('done');
    expect(existsSync(path.join(folder, 'node_modules'))).toBe(false);
  });

  it('an install needs no package for another system, processor or C library', () => {
    const other = { version: '1.0.0', optional: true };
    write(
      {
        'node_modules/system': { ...other, os: ['other'] },
        'node_modules/not-here': { ...other, os: [`!${process.platform}`] },
        'node_modules/processor': { ...other, cpu: 'other' },
        'node_modules/library': { ...other, libc: ['other'] },
        'node_modules/ours': { ...other, os: process.platform, cpu: [process.arch] },
      },
      {},
    );
    expect(ask(`install.missingPackages('${folder}')`)).toEqual(['node_modules/ours']);
  });

  it('an install uses a cache in the checkout if the home directory cannot be written', () => {
    expect(ask(`install.npmCache({ HOME: '/dev/null/home' }, '${folder}')`)).toBe(path.join(folder, 'npm'));
    expect(ask(`install.npmCache({ HOME: '/proc/1' }, '${folder}')`)).toBe(path.join(folder, 'npm'));
    expect(ask(`install.npmCache({ HOME: '${folder}' }, '/elsewhere')`)).toBe(path.join(folder, '.npm'));
  });
});
