// `sluice console` as a process: it prints its address, serves pages there, and ends on a signal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ask } from '../support/consoleScene.ts';
import { gpuRule, type Scene, startScene } from '../support/scene.ts';

const program = path.resolve(import.meta.dirname, '../../../bin/sluice.ts');

let scene: Scene;

beforeEach(async () => {
  scene = await startScene();
  scene.cluster.seed(gpuRule);
});

afterEach(() => scene.stop());

it.each(['SIGTERM', 'SIGINT'] as const)(
  'sluice console prints its address, serves the pages of the cluster there, and ends with status 0 on %s',
  async (signal) => {
    const child = spawn(process.execPath, [program, 'console', '--kubeconfig', scene.kubeconfig], {
      env: { PATH: process.env.PATH, HOME: scene.folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    try {
      const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
      const { status, body } = await ask(`${url}fleet`);
      expect(status).toBe(200);
      expect(body).toContain('<h1>Fleet</h1>');
      child.kill(signal);
      expect(await ended).toEqual([0, null]);
      await expect(ask(url)).rejects.toThrow();
    } finally {
      child.kill('SIGKILL');
    }
  },
  180_000,
);
