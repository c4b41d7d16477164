// The program as users install it: packed by npm from a copy of the sources, and installed by the command of a page, with a global folder of its own.
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { bundleProgram } from '../../../scripts/release/bundles.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');

export interface Packed {
  /** Folder with `sluice`. */
  readonly bin: string;
  /** The watcher, as the image of that release has it. */
  readonly watcher: string;
  readonly chart: string;
}

/** A release of that version, whose functions call API servers under that name. */
export async function packRelease(
  folder: string,
  of: {
    readonly version: string;
    readonly userAgent: string;
    /** The command of a page, as typed in bash beside the archive. */
    readonly installedBy: string;
    /** Where npm finds its registry and certificates. */
    readonly npmSettings: Readonly<Record<string, string>>;
  },
): Promise<Packed> {
  const { version, userAgent, installedBy, npmSettings } = of;
  const sources = path.join(folder, 'sources');
  for (const name of execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')) {
    if (/^(docs|test|bench)\//.test(name)) continue;
    mkdirSync(path.dirname(path.join(sources, name)), { recursive: true });
    cpSync(path.join(root, name), path.join(sources, name));
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(sources, 'node_modules'));
  change(sources, 'package.json', /"version": "[^"]+"/, `"version": "${version}"`);
  change(sources, 'deploy/chart/Chart.yaml', /ersion: \d\S+/g, `ersion: ${version}`);
  change(sources, 'lib/adapters/kubernetes/exchange.ts', "'user-agent': 'sluice'", `'user-agent': '${userAgent}'`);
  const run = promisify(execFile);
  const script = `import('./scripts/commandBundle.ts').then((one) => one.bundleInChunks('dist'))`;
  await run(process.execPath, ['-e', script], { cwd: sources });
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: sources });
  const prefix = path.join(folder, 'installed');
  const env = { ...process.env, ...npmSettings, npm_config_prefix: prefix };
  const watcher = path.join(folder, 'watcher.mjs');
  await Promise.all([
    run('bash', ['-c', installedBy], { cwd: folder, env }),
    bundleProgram({ root: sources } as never, 'bin/watcher.ts').then((bytes) => writeFileSync(watcher, bytes)),
  ]);
  const installed = path.join(prefix, 'lib', 'node_modules', 'sluice');
  return { bin: path.join(prefix, 'bin'), watcher, chart: path.join(installed, 'deploy', 'chart') };
}

/** Throws if it changes nothing, because two releases would be the same. */
function change(sources: string, name: string, from: string | RegExp, to: string): void {
  const file = path.join(sources, name);
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(from, to);
  if (changed === text && !text.includes(to)) throw new Error(`${name} has no ${from}`);
  writeFileSync(file, changed);
}
