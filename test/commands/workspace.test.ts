// The workspace of `sluice install`: what npm fetches for one release is reused by every release that pins the same CDK.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkspace } from '../../lib/commands/install/workspace.ts';
import type { Io } from '../../lib/commands/io.ts';

let home: string;
let said: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'sluice-workspace-'));
  said = '';
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A packed release with that app and the CDK of that lock file. */
const release = (app: string, lock: string) =>
  gzipSync(JSON.stringify({ 'package.json': '{}', 'package-lock.json': lock, 'infra/app.mjs': app, 'chart/a': app }));

/** Opens the workspace on a machine whose npm is this shell script. */
function open(packed: Uint8Array, npm: string) {
  const tools = path.join(home, 'tools');
  mkdirSync(tools, { recursive: true });
  writeFileSync(path.join(tools, 'npm'), `#!/bin/sh\n${npm}\n`, { mode: 0o755 });
  const env = { HOME: home, PATH: [tools, path.dirname(process.execPath), process.env.PATH].join(path.delimiter) };
  const err = { write: (text: string) => (said += text) };
  const io: Pick<Io, 'env' | 'err' | 'signal'> = { env, err, signal: new AbortController().signal };
  return openWorkspace(io as Io, packed);
}

/** Installs a CDK command that runs the app of the folder in which it is started. */
const fetches =
  'mkdir -p node_modules/aws-cdk/bin node_modules/aws-cdk-lib && cp package-lock.json node_modules/aws-cdk-lib/index.js && ' +
  `echo 'import("file://" + process.cwd() + "/infra/app.mjs")' > node_modules/aws-cdk/bin/cdk`;
const app = (name: string) => `import cdk from 'aws-cdk-lib'; console.log('${name} on CDK ' + cdk);`;
const lockOf = (version: number) => `module.exports = ${version};`;
const timesFetched = () => said.split('fetching the AWS CDK').length - 1;

describe('the workspace of an installation', () => {
  it('npm fetches the CDK once for all releases that pin the same version, and each release runs its own app', async () => {
    const older = await open(release(app('older'), lockOf(1)), fetches);
    const newer = await open(release(app('newer'), lockOf(1)), fetches);
    expect(timesFetched()).toBe(1);
    expect(await Promise.all([older.cdk('synth'), newer.cdk('synth')])).toEqual([
      'older on CDK 1\n',
      'newer on CDK 1\n',
    ]);
    expect(readFileSync(path.join(newer.chart, 'a'), 'utf8')).toBe(app('newer'));
  });

  it('npm fetches the CDK again when a release pins another version', async () => {
    await open(release(app('older'), lockOf(1)), fetches);
    const newer = await open(release(app('newer'), lockOf(2)), fetches);
    expect(timesFetched()).toBe(2);
    expect(await newer.cdk('synth')).toBe('newer on CDK 2\n');
  });

  it('the workspace keeps the compile cache of Node', async () => {
    const { cdk } = await open(release(`console.log(process.env.NODE_COMPILE_CACHE);`, lockOf(1)), fetches);
    const compiled = (await cdk('synth')).trim();
    expect(path.dirname(path.dirname(compiled))).toBe(path.join(home, '.cache', 'sluice'));
  });

  it('a failed CDK is told in two lines, because what it printed is on the screen already', async () => {
    const { cdk } = await open(release(`console.log('no such cluster'); process.exitCode = 1;`, lockOf(1)), fetches);
    await expect(cdk('synth')).rejects.toMatchObject({
      message: 'cdk synth ended with 1: what it printed above says why',
      help: 'correct that, and run the same command again: it continues where this one ended',
    });
    expect(said).toContain('no such cluster\n');
  });

  it('a failed npm leaves no partial workspace, and the next run fetches the CDK again', async () => {
    const failed = open(release(app('older'), lockOf(1)), 'mkdir node_modules; echo no registry >&2; exit 1');
    await expect(failed).rejects.toThrow('npm ci ended with 1: no registry');
    expect(readdirSync(path.join(home, '.cache', 'sluice'))).toEqual([]);
    const { cdk } = await open(release(app('older'), lockOf(1)), fetches);
    expect(await cdk('synth')).toBe('older on CDK 1\n');
  });
});
