// A run whose API server does not answer ends with an error before anything is built or started.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../lib/local/freePort.ts';
import { runLocal } from '../../lib/local/runLocal.ts';

describe('a run on a real cluster', () => {
  let folder: string;
  let silent: Server;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-dead-'));
    silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (port: number) => {
    const kubeconfig = path.join(folder, `config-${port}`);
    const cluster = { name: 'c', cluster: { server: `https://127.0.0.1:${port}` } };
    const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
    const user = { name: 'u', user: { token: 't' } };
    const file = { apiVersion: 'v1', kind: 'Config', 'current-context': 'x' };
    writeFileSync(kubeconfig, JSON.stringify({ ...file, clusters: [cluster], contexts: [context], users: [user] }));
    const startPage = () => Promise.reject(new Error('a page was started'));
    return runLocal({ kubeconfig, native: 'detect', port: 0, startPage });
  };
  const says = (port: number) =>
    new RegExp(`API server https://127.0.0.1:${port} of kubeconfig .* does not answer: .*; try "kubectl --kubeconfig`);

  it('a run on a real cluster ends with an error if nothing listens at its address', async () => {
    const port = await freePort();
    await expect(run(port)).rejects.toThrow(says(port));
  });

  it('a run on a real cluster ends with an error if the API server accepts the connection and never answers', async () => {
    const address = silent.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    await expect(run(port)).rejects.toThrow(says(port));
  });
});
