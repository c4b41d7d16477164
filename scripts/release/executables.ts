// The command line as a single executable per platform, built with Node's `--build-sea` from Node's npm packages.
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleInChunks } from '../commandBundle.ts';
import { compress, file, packTar } from './archive.ts';
import { type Context, put } from './context.ts';
import { readNpmFile } from './downloads.ts';
import { run } from './goTool.ts';
import { signForMacos } from './macos.ts';
import { type ExecutableTarget, executableTargets, type NodePackage } from './pins.ts';

export const archiveOf = ({ platform, arch }: ExecutableTarget): string =>
  `executables/sluice-${platform}-${arch}.tar.gz`;

export async function buildExecutables(context: Context): Promise<void> {
  const licence = readFileSync(path.join(context.root, 'LICENSE'));
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-executables-'));
  try {
    await bundleInChunks(path.join(folder, chunks), 'executable');
    copyFileSync(path.join(import.meta.dirname, main), path.join(folder, main));
    const own = executableTargets.find(({ platform, arch }) => platform === process.platform && arch === process.arch);
    if (!own)
      throw new Error(`executables cannot be built on ${process.platform} ${process.arch}: no Node is pinned for it`);
    const builder = await unpackNode(folder, own.node);
    for (const target of executableTargets) {
      const executable = path.join(folder, `sluice-${target.platform}-${target.arch}`);
      const node = await unpackNode(folder, target.node);
      run(builder, ['--build-sea', writeConfig(folder, node, executable)], { cwd: folder });
      if (target.platform === 'darwin') signForMacos(executable);
      const content = [file('LICENSE', licence), file('sluice', readFileSync(executable), 0o755)];
      put(context, archiveOf(target), compress(await packTar(content)));
      rmSync(executable);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Relative, because Node writes this path into the executable, which must be reproducible. */
const main = 'executableMain.mjs';
const chunks = 'chunks';

/** No snapshot and no code cache: they would need to run the other platform's binary here, and are not reproducible. */
function writeConfig(folder: string, executable: string, output: string): string {
  const config = {
    main,
    mainFormat: 'module',
    executable,
    output,
    disableExperimentalSEAWarning: true,
    useSnapshot: false,
    useCodeCache: false,
    assets: Object.fromEntries(
      globSync('**/*.mjs', { cwd: path.join(folder, chunks) })
        .sort()
        .map((name) => [name, path.join(chunks, name)]),
    ),
  };
  const target = path.join(folder, 'sea.json');
  writeFileSync(target, JSON.stringify(config));
  return target;
}

async function unpackNode(folder: string, pin: NodePackage): Promise<string> {
  const target = path.join(folder, pin.name, 'node');
  if (existsSync(target)) return target;
  mkdirSync(path.dirname(target));
  writeFileSync(target, await readNpmFile(pin, 'bin/node'), { mode: 0o755 });
  return target;
}
