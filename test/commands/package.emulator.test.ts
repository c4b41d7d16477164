// The packed npm package runs from another folder without other packages; its output fits terminals of 80 and 200 columns.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readText, root } from '../house/sources.ts';
import { gpuRule, type Scene, startScene } from './support/scene.ts';

const manifest = JSON.parse(readText('package.json')) as { version: string; bin: Record<string, string> };
let folder = '';
let program = '';
let scene: Scene;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-package-'));
  // A checkout has no dist/: packing builds it.
  rmSync(path.join(root, 'dist'), { recursive: true, force: true });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: root });
  execFileSync('tar', ['-xzf', `sluice-${manifest.version}.tgz`], { cwd: folder });
  program = path.join(folder, 'package', manifest.bin.sluice ?? '');
  scene = await startScene();
  scene.cluster.seed(gpuRule);
}, 300_000);
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
  it('the packed program runs as sluice and as kubectl-sluice', async () => {
    expect(await run(program, 'version', '-o', 'jsonpath={.version}')).toBe(`${manifest.version}\n`);
    const plugin = path.join(folder, 'bin', 'kubectl-sluice');
    mkdirSync(path.dirname(plugin));
    symlinkSync(program, plugin);
    expect(manifest.bin['kubectl-sluice']).toBe(manifest.bin.sluice);
    expect(await run(plugin, '--help')).toMatch(/^Usage: kubectl sluice /);
  });

  it.each(['get rules', 'get devices', 'pauses'])(
    'the packed program prints the same objects in YAML as in JSON: %s',
    async (verb) => {
      const printed = (format: string) =>
        run(program, ...verb.split(' '), '--kubeconfig', scene.kubeconfig, '-o', format);
      expect(parse(await printed('yaml'))).toEqual(JSON.parse(await printed('json')));
    },
  );

  it('the packed program describes a rule by its name', async () => {
    const said = await run(program, 'describe', 'rule', 'unhealthy-gpus', '--kubeconfig', scene.kubeconfig);
    expect(said).toMatch(/unhealthy-gpus/);
  });

  it('the packed program contains the files that its verbs read', async () => {
    expect(await run(program, 'get', 'rules', '--kubeconfig', scene.kubeconfig, '-o', 'name')).toBe(
      'devicetaintrule.resource.k8s.io/unhealthy-gpus\n',
    );
    const doctor = promisify(execFile)(
      process.execPath,
      [program, 'doctor', '--no-probe', '--kubeconfig', scene.kubeconfig],
      { cwd: folder },
    );
    const said = await doctor.catch((error: { stdout: string }) => error);
    expect(said.stdout).toMatch(/\d+ ok, \d+ warnings?, \d+ problems?\n$/);
  });
});

/** Output of the program in a terminal of that width. */
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

/** The line without colour codes. */
function visible(line: string): string {
  return stripVTControlCharacters(line).trimEnd();
}

describe('output in a terminal', () => {
  it.each([80, 200])('get prints no line wider than a terminal of %i columns and cuts no pod name', async (columns) => {
    for (const what of ['rules', 'devices', 'taints']) {
      const shown = await inTerminal(columns, 'get', what);
      expect(Math.max(...shown.map((one) => one.length))).toBeLessThanOrEqual(columns);
    }
    const pods = await inTerminal(columns, 'get', 'pods', '-A');
    expect(Math.max(...pods.map((one) => one.length))).toBeLessThanOrEqual(columns);
    expect(pods.filter((one) => /^team-[abc] +pod-0000\d /.test(one))).toHaveLength(8);
  });

  it.each([80, 200])('the bars of top and an error fit a terminal of %i columns', async (columns) => {
    const bars = (await inTerminal(columns, 'top', '--once')).map(visible);
    expect(bars.join('\n')).toMatch(/unhealthy-gpus .* 4 to go/);
    const error = await inTerminal(columns, 'get', 'rules', 'nope').catch(({ stdout }) => String(stdout).split('\n'));
    expect(error[0]).toMatch(/^error: there is no rule nope/);
    for (const one of [...bars, ...error.map(visible)]) expect(one.length).toBeLessThanOrEqual(columns);
  });

  it('get cuts long text with an ellipsis in a narrow terminal and shows it in full at 200 columns', async () => {
    const long = 'devicetaintrule.resource.k8s.io/unhealthy-gpus';
    expect((await inTerminal(80, 'get', 'taints'))[1]).toMatch(/^example.com\/unhealthy=xid:NoExecute .*…/);
    expect((await inTerminal(200, 'get', 'taints'))[1]).toContain(' DeviceTaintRule unhealthy-gpus ');
    expect(await inTerminal(80, 'get', 'rules', '-o', 'name')).toEqual([long]);
    const narrow = await inTerminal(40, 'get', 'rules');
    expect(narrow.join('\n')).toContain('…');
    expect((await inTerminal(200, 'get', 'rules')).join('\n')).toContain('example.com/unhealthy=xid:NoExecute');
  });

  it('help is no wider than the terminal', async () => {
    expect(Math.max(...(await inTerminal(80, 'pause', '--help')).map((one) => one.length))).toBeLessThanOrEqual(80);
  });
});
