// The kubeconfig of a local run: an error names the file and what could not be read of it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { openKubeconfig } from '../../lib/local/kubeconfig.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-kubeconfig-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A kubeconfig whose credentials are what a shell command prints. */
function withPlugin(script: string, name = 'config.yaml'): string {
  const file = path.join(folder, name);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: ['-c', script] };
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'a', user: { exec: { ...exec, interactiveMode: 'Never' } } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

it('a credential plugin that does not answer is told once, ended although a process of its own continues, and named with what to do', async () => {
  const file = withPlugin('sleep 5 & exec sleep 600');
  const said: string[] = [];
  const error = await openKubeconfig(file, { say: (text) => void said.push(text), slowAfter: 50, within: 300 }).catch(
    (failed: Error) => failed.message,
  );
  expect(said).toEqual(['credential plugin sh has not answered yet; it has 0.3 s']);
  expect(error).toBe(
    `kubeconfig ${file}: no credentials: credential plugin sh did not answer within 0.3 s: run it by hand to see what it waits for; try it: kubectl --kubeconfig ${file} get nodes`,
  );
});

/** Ended, perhaps not yet collected by its parent. */
function hasEnded(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^(Z.*)?$/.test(stdout.trim());
}

const pidIn = (file: string) => Number(readFileSync(file, 'utf8'));

it('no process that a credential plugin has started continues after the plugin was ended because it did not answer', async () => {
  const started = path.join(folder, 'started');
  const file = withPlugin(`sleep 600 & echo $! > ${started}; wait`);
  await expect(openKubeconfig(file, { slowAfter: 50, within: 300 })).rejects.toThrow('did not answer within 0.3 s');
  await expect.poll(() => hasEnded(pidIn(started))).toBe(true);
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'a credential plugin with all that it has started ends with a program that %s ends',
  async (signal) => {
    const started = path.join(folder, `started-${signal}`);
    const file = withPlugin(`sleep 600 & echo $! > ${started}; wait`);
    const source = pathToFileURL(path.resolve('lib/local/kubeconfig.ts')).href;
    const code = `const { openKubeconfig } = await import('${source}'); await openKubeconfig('${file}');`;
    const program = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
    const ended = new Promise((resolve) => program.once('exit', (_, by) => resolve(by)));
    await expect.poll(() => existsSync(started) && pidIn(started) > 0, { timeout: 20_000 }).toBe(true);
    program.kill(signal);
    expect(await ended).toBe(signal);
    await expect.poll(() => hasEnded(pidIn(started))).toBe(true);
  },
  90_000,
);

it('a signal ends the program while a second credential plugin runs, although the first one has ended', async () => {
  const [started, over] = ['started-second', 'first-over'].map((name) => path.join(folder, name)) as [string, string];
  const first = withPlugin('sleep 1; exit 3', 'first.yaml');
  const second = withPlugin(`sleep 600 & echo $! > ${started}; wait`, 'second.yaml');
  const source = pathToFileURL(path.resolve('lib/local/kubeconfig.ts')).href;
  const code = `
    const { openKubeconfig } = await import('${source}');
    const { writeFileSync } = await import('node:fs');
    openKubeconfig('${first}').catch(() => writeFileSync('${over}', ''));
    setTimeout(() => openKubeconfig('${second}'), 300);`;
  const program = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' });
  const ended = new Promise((resolve) => program.once('exit', (_, by) => resolve(by)));
  const isReady = () => existsSync(over) && existsSync(started) && pidIn(started) > 0;
  await expect.poll(isReady, { timeout: 20_000 }).toBe(true);
  program.kill('SIGINT');
  expect(await ended).toBe('SIGINT');
  await expect.poll(() => hasEnded(pidIn(started))).toBe(true);
}, 30_000);

it('a credential plugin that reads its input to the end answers, as it does for kubectl without a terminal', async () => {
  const answer = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 't' } };
  const file = withPlugin(`cat > /dev/null; echo '${JSON.stringify(answer)}'`);
  const error = await openKubeconfig(file, { slowAfter: 4000, within: 5000 }).then(
    () => 'opened',
    (failed: Error) => failed.message,
  );
  expect(error).not.toContain('did not answer');
});

it.each([
  ['prints nothing', 'true', /credential plugin sh printed nothing: run it by hand to see why/],
  ['prints nothing but a complaint', 'echo log in first >&2', /credential plugin sh printed nothing: log in first/],
  ['fails', 'echo token expired >&2; exit 3', /credential plugin sh ended with status 3: token expired/],
  ['fails without a word', 'exit 4', /credential plugin sh ended with status 4: it says nothing about why/],
  ['prints a secret and fails', 'echo the-secret; exit 4', /status 4: it says nothing about why/],
  [
    'prints a secret alone',
    'echo the-secret',
    /printed text that is not the JSON of an ExecCredential: check its command/,
  ],
  ['ends by a signal', 'kill -TERM $$', /credential plugin sh was ended by SIGTERM/],
  ['prints other JSON', 'echo "{}"', /printed JSON that is no ExecCredential with a status/],
  ['complains at length', 'yes wrong | head -c 9999 >&2; exit 1', /status 1: (wrong )+\S{0,5}…; try it/],
])('a credential plugin that %s is told with the kubeconfig and a command to try', async (_, script, why) => {
  const file = withPlugin(script);
  const error = await openKubeconfig(file).then(
    () => undefined,
    (failed: Error) => failed,
  );
  expect(error?.message).toMatch(why);
  expect(error?.message.length).toBeLessThan(600);
  expect(error?.message).not.toContain('the-secret');
  expect(error?.message.startsWith(`kubeconfig ${file}: no credentials: `)).toBe(true);
  expect(error?.message.endsWith(`; try it: kubectl --kubeconfig ${file} get nodes`)).toBe(true);
});
