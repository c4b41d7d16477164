// Standard output that cannot be written: a full disk is an error, a reader that has gone is none.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { gpuRule, startScene } from './support/scene.ts';

const program = fileURLToPath(new URL('../../bin/sluice.ts', import.meta.url));
const options = ['--disable-warning=ExperimentalWarning', program];

describe.runIf(process.platform === 'linux')('a full disk', () => {
  it.each(['version', 'version -o json', '--help', 'completion bash'])(
    'sluice %s fails on a full disk, and says so',
    (words) => {
      const full = openSync('/dev/full', 'w');
      const { status, stderr } = spawnSync(process.execPath, [...options, ...words.split(' ')], {
        encoding: 'utf8',
        stdio: ['ignore', full, 'pipe'],
      });
      closeSync(full);
      expect(stderr).toMatch(/^error: the answer could not be written to standard output: ENOSPC.*\n$/);
      expect(status).toBe(1);
    },
  );

  it('a verb that reads a cluster fails on a full disk, and says so', async () => {
    const scene = await startScene();
    scene.cluster.seed(gpuRule);
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [...options, 'get', 'rules', '--kubeconfig', scene.kubeconfig], {
      stdio: ['ignore', full, 'pipe'],
    });
    const said: string[] = [];
    child.stderr?.on('data', (data) => said.push(String(data)));
    const [status] = await once(child, 'close');
    closeSync(full);
    await scene.stop();
    expect(said.join('')).toMatch(/^error: the answer could not be written to standard output: ENOSPC.*\n$/);
    expect(status).toBe(1);
  });
});

describe('a closed pipe', () => {
  it('a reader that closes the pipe early is no error', async () => {
    const child = spawn(process.execPath, [...options, 'completion', 'bash'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const said: string[] = [];
    child.stderr.on('data', (data) => said.push(String(data)));
    const [status] = await once(child, 'close');
    expect({ status, said: said.join('') }).toEqual({ status: 0, said: '' });
  });
});
