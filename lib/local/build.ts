// Builds what a local run starts, once per state of the sources: the cloud assembly and one bundle per program.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode, synthesize } from './aws/synthesize.ts';
import { buildSteps } from './buildSteps.ts';
import { makeOnce } from './makeOnce.ts';

export interface Build {
  /** Folder of the cloud assembly. */
  readonly assembly: string;
  /** Bundle of `bin/watcher.ts`. */
  readonly watcher: string;
  /** Bundle of `lib/local/program.ts`. */
  readonly program: string;
  /** Folder of Node's compile cache. */
  readonly compileCache: string;
  readonly logFile: string;
  /** Only a checkout has a folder for logs that stay. */
  readonly isLogTemporary: boolean;
}

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The npm package contains a build, in ./demo beside the program or in ../demo from its chunks. */
const packed = ['./demo/', '../demo/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
const sources = ['bin', 'infra', 'lib', 'functions', 'deploy/chart/crds', 'package-lock.json', 'cdk.json'];
/** Bundled, because from source each program uses twice the memory and starts four times as slowly. */
const programs = {
  'program.mjs': 'lib/local/program.ts',
  'functionThread.mjs': 'lib/local/aws/functionThread.ts',
  'tableThread.mjs': 'lib/local/aws/sqliteTable/tableThread.ts',
  'watcher.mjs': 'bin/watcher.ts',
} as const;
/** Number of builds to keep: another run may still use an older one. */
const buildsToKeep = 3;

export interface BuildOptions {
  /** Called with what is being built, if a build is needed, and with what is left when a part of it is finished. */
  readonly onBuild?: (step: string) => void;
  readonly signal?: AbortSignal;
}

export async function build(options: BuildOptions = {}): Promise<Build> {
  const brought = packed.find((folder) => existsSync(path.join(folder, 'program.mjs')));
  if (brought !== undefined)
    return buildIn(brought, { logFile: path.join(tmpdir(), `sluice-${process.pid}.log`), isLogTemporary: true });
  if (!existsSync(path.join(root, 'infra', 'app.ts')))
    throw new Error('this executable has no demo: run "sluice demo" of the npm package, or "npm start" in a checkout');
  const cache = path.join(root, '.cache');
  const folder = path.join(cache, `build-${hashOf(sources)}`);
  if (existsSync(folder)) utimesSync(folder, new Date(), new Date());
  else {
    mkdirSync(cache, { recursive: true });
    await makeOnce(folder, (making) => makeBuild(making, options));
    removeOld(cache);
  }
  return buildIn(folder, { logFile: path.join(cache, 'start.log'), isLogTemporary: false });
}

function buildIn(folder: string, log: Pick<Build, 'logFile' | 'isLogTemporary'>): Build {
  return {
    assembly: path.join(folder, 'assembly'),
    watcher: path.join(folder, 'watcher.mjs'),
    program: path.join(folder, 'program.mjs'),
    compileCache: path.join(folder, 'compiled'),
    ...log,
  };
}

/** Builds from a checkout into `folder`. */
export async function makeBuild(folder: string, { onBuild, signal }: BuildOptions = {}): Promise<void> {
  const bundles = Object.entries(programs).flatMap(([file, entry]) => [entry, path.join(folder, file)]);
  const stack = 'the stack with its functions';
  const local = 'the programs of the local run';
  const steps = buildSteps([stack, local]);
  const part = async (name: string, made: Promise<void>) => {
    await made;
    const step = steps.built(name);
    if (step !== undefined) onBuild?.(step);
  };
  onBuild?.(steps.begun);
  const what = 'the local programs cannot be bundled';
  await Promise.all([
    part(stack, synthesize(root, path.join(folder, 'assembly'), signal)),
    part(local, runNode(root, ['scripts/bundleProgram.ts', ...bundles], { what, signal })),
  ]);
  // Other files that the CDK writes are only for its command line.
  const assembly = path.join(folder, 'assembly');
  for (const name of readdirSync(assembly).filter((file) => !/^asset\.|\.template\.json$/.test(file)))
    rmSync(path.join(assembly, name), { recursive: true });
}

/** Removes old builds, and files left by older releases and ended runs. */
function removeOld(cache: string): void {
  const lastUse = (name: string) => statSync(path.join(cache, name)).mtimeMs;
  const builds = readdirSync(cache).filter((name) => /^build-[0-9a-f]+$/.test(name));
  const unused = builds.toSorted((a, b) => lastUse(b) - lastUse(a)).slice(buildsToKeep);
  const hourAgo = Date.now() - 3_600_000;
  const left = readdirSync(cache).filter(
    (name) => /^(assembly|install|making|build-[0-9a-f]+)-/.test(name) && lastUse(name) < hourAgo,
  );
  for (const name of [...unused, ...left]) rmSync(path.join(cache, name), { recursive: true, force: true });
}

function hashOf(names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of names.flatMap((name) => filesBelow(name)).sort())
    hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

function filesBelow(name: string): readonly string[] {
  const full = path.join(root, name);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [name];
  const entries = readdirSync(full, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}
