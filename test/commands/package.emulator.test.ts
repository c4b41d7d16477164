// What npm packs runs from another folder without a package beside it; and its output in a terminal of 80 and of 200 columns.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleInChunks } from '../../scripts/commandBundle.ts';
import { readText, root } from '../house/sources.ts';
import { gpuRule, type Scene, startScene } from './support/scene.ts';

const manifest = JSON.parse(readText('package.json')) as { version: string; bin: Record<string, string> };
let folder = '';
let program = '';
let scene: Scene;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-package-'));
  await bundleInChunks(path.join(root, 'dist'));
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }),
  ) as { filename: string }[];
  execFileSync('tar', ['-xzf', packed?.filename ?? ''], { cwd: folder });
  program = path.join(folder, 'package', manifest.bin.sluice ?? '');
  scene = await startScene();
  scene.cluster.seed(gpuRule);
});
afterAll(async () => {
  await scene?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const run = async (file: string, ...words: string[]) =>
  (
    await promisify(execFile)(process.execPath, [file, ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
    })
  ).stdout;

describe('the packed program', () => {
  it('runs under both of its names', async () => {
    expect(await run(program, 'version', '-o', 'jsonpath={.version}')).toBe(`${manifest.version}\n`);
    const plugin = path.join(folder, 'bin', 'kubectl-sluice');
    mkdirSync(path.dirname(plugin));
    symlinkSync(program, plugin);
    expect(manifest.bin['kubectl-sluice']).toBe(manifest.bin.sluice);
    expect(await run(plugin, '--help')).toMatch(/^Usage: kubectl sluice /);
  });

  it('has the files that verbs need inside', async () => {
    expect(await run(program, 'get', 'rules', '--kubeconfig', scene.kubeconfig, '-o', 'name')).toBe(
      'devicetaintrule.resource.k8s.io/unhealthy-gpus\n',
    );
    const doctor = promisify(execFile)(
      process.execPath,
      [program, 'doctor', '--no-probe', '--kubeconfig', scene.kubeconfig],
      { cwd: folder },
    );
    const said = await doctor.catch((error: { stdout: string }) => error);
    expect(said.stdout).toMatch(/\d+ ok, \d+ to look at, \d+ wrong\n$/);
  });
});

/** What a terminal of that width is sent. */
async function inTerminal(columns: number, ...words: string[]): Promise<readonly string[]> {
  const typed = [process.execPath, program, ...words].map((one) => `'${one}'`).join(' ');
  const { stdout } = await promisify(execFile)(
    'script',
    ['-qec', `stty cols ${columns} rows 40; ${typed}`, '/dev/null'],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, KUBECONFIG: scene.kubeconfig, TERM: 'xterm' },
    },
  );
  return stdout.replaceAll('\r', '').trimEnd().split('\n');
}

describe('in a terminal', () => {
  it.each([80, 200])('of %i columns no line of a list is longer, and names are whole', async (columns) => {
    for (const what of ['rules', 'devices', 'taints']) {
      const shown = await inTerminal(columns, 'get', what);
      expect(Math.max(...shown.map((one) => one.length))).toBeLessThanOrEqual(columns);
    }
    const pods = await inTerminal(columns, 'get', 'pods', '-A');
    expect(Math.max(...pods.map((one) => one.length))).toBeLessThanOrEqual(columns);
    expect(pods.filter((one) => /^team-[abc] +pod-0000\d /.test(one))).toHaveLength(8);
  });

  it('of 80 columns cuts the widest text with an ellipsis, which 200 columns show whole', async () => {
    const long = 'devicetaintrule.resource.k8s.io/unhealthy-gpus';
    expect((await inTerminal(80, 'get', 'taints'))[1]).toMatch(/^example.com\/unhealthy=xid:NoExecute .*…/);
    expect((await inTerminal(200, 'get', 'taints'))[1]).toContain(' DeviceTaintRule unhealthy-gpus ');
    expect(await inTerminal(80, 'get', 'rules', '-o', 'name')).toEqual([long]);
    const narrow = await inTerminal(40, 'get', 'rules');
    expect(narrow.join('\n')).toContain('…');
    expect((await inTerminal(200, 'get', 'rules')).join('\n')).toContain('example.com/unhealthy=xid:NoExecute');
  });

  it('help is as wide as the terminal', async () => {
    expect(Math.max(...(await inTerminal(80, 'pause', '--help')).map((one) => one.length))).toBeLessThanOrEqual(80);
  });
});
