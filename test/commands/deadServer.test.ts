// When the API server is down or never answers, every verb that reads a cluster connects once and fails within one request timeout.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { versionWithin } from '../../lib/adapters/kubernetes/askVersion.ts';
import type { VerbDefinition } from '../../lib/commands/definition.ts';
import { program } from '../../lib/commands/definitions/index.ts';
import { freePort } from '../../lib/local/freePort.ts';
import { gpuRule, runAlone } from './support/scene.ts';

const device = 'gpu.example.com/node-000/device-0';

/** Arguments of each verb that takes `--kubeconfig`. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  'get rules': [],
  'get policies': [],
  'get taints': [],
  'get devices': [],
  'get pods': ['-A'],
  'get evictions': ['-A'],
  describe: ['rule', 'unhealthy-gpus'],
  why: ['pod', 'team-a/worker-0'],
  plan: ['-f', 'RULES'],
  approve: ['rule', 'unhealthy-gpus', '--yes'],
  pause: ['--all'],
  pauses: [],
  resume: ['--all'],
  'taint device': [device, 'example.com/unhealthy:NoExecute', '--yes'],
  'untaint device': [device],
  'untaint node': ['node-000'],
  'drain device': [device, '--yes'],
  'drain node': ['node-000', '--yes'],
  events: ['-A'],
  console: [],
  top: [],
  doctor: ['--no-probe'],
};

/** Not called here: these verbs read the stack from AWS before they connect to a cluster. */
const installing = ['install', 'upgrade', 'uninstall'];

let folder: string;
let silent: Server;
const sockets: Socket[] = [];
let port = 0;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-dead-'));
  writeFileSync(path.join(folder, 'rules.json'), JSON.stringify(gpuRule));
  silent = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  port = (silent.address() as { port: number }).port;
});
beforeEach(() => {
  sockets.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
});
afterAll(() => {
  silent.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(verb: string, server: number) {
  const kubeconfig = path.join(folder, `config-${server}`);
  const cluster = { name: 'c', cluster: { server: `https://127.0.0.1:${server}` } };
  const context = { name: 'x', context: { cluster: 'c', user: 'u' } };
  const user = { name: 'u', user: { token: 't' } };
  const file = { apiVersion: 'v1', kind: 'Config', 'current-context': 'x' };
  writeFileSync(kubeconfig, JSON.stringify({ ...file, clusters: [cluster], contexts: [context], users: [user] }));
  const words = (verbs[verb] ?? []).map((word) => word.replace('RULES', path.join(folder, 'rules.json')));
  return runAlone(...verb.split(' '), ...words, '--kubeconfig', kubeconfig);
}

const namesOf = (of: readonly VerbDefinition[], before = ''): readonly string[] =>
  of.flatMap(({ name, verbs: inner, uses }) =>
    inner ? namesOf(inner, `${before}${name} `) : uses?.includes('cluster') ? [`${before}${name}`] : [],
  );

describe('an API server that does not answer', () => {
  it('every verb that takes a kubeconfig is tested against a dead API server', () => {
    expect(namesOf(program.verbs).toSorted()).toEqual([...Object.keys(verbs), ...installing].toSorted());
  });

  it.each(Object.keys(verbs))('sluice %s fails with an error when the API server refuses connections', async (verb) => {
    const dead = await freePort();
    const { status, out, err } = await start(verb, dead);
    expect({ status, said: out + err }).toEqual({
      status: 1,
      said: expect.stringMatching(new RegExp(`no answer from https://127.0.0.1:${dead} .*\\n?.*nothing listens there`)),
    });
  });

  it.each(Object.keys(verbs))(
    'sluice %s opens one connection to an API server that never answers, and fails after one request timeout',
    async (verb) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      let ended: Awaited<ReturnType<typeof start>> | undefined;
      const running = start(verb, port).then((said) => {
        ended = said;
      });
      while (sockets.length === 0 && !ended) await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(versionWithin - 1);
      expect(ended).toBeUndefined();
      await vi.advanceTimersByTimeAsync(1);
      await running;
      expect(ended).toMatchObject({ status: 1 });
      expect(`${ended?.out}${ended?.err}`).toContain(`no answer within ${versionWithin} ms`);
      expect(sockets).toHaveLength(1);
    },
  );
});
