// The folder that `install` works in: the CDK app, the functions and the chart of this release, and the CDK that npm fetches.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Failure } from '../failure.ts';
import { type Io, line } from '../io.ts';
import { installFiles } from './files.ts';
import { runTool } from './tool.ts';

export interface Workspace {
  readonly chart: string;
  /** The command line of the CDK; what it prints is shown. */
  cdk(...args: readonly string[]): Promise<string>;
}

/** Fetches the CDK once per release. A folder that was left half made is not taken for a whole one: it gets its name last. */
export async function openWorkspace(io: Io): Promise<Workspace> {
  const packed = installFiles();
  const name = createHash('sha256').update(packed).digest('hex').slice(0, 16);
  const folder = path.join(cacheFolder(io.env), `install-${name}`);
  if (!existsSync(folder)) await make(folder, packed, io);
  const program = path.join(folder, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  const environment = { CI: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true' };
  return {
    chart: path.join(folder, 'chart'),
    cdk: (...args) =>
      runTool('node', [program, ...args, '--no-notices', '--no-color'], { io, folder, environment, isShown: true }),
  };
}

async function make(folder: string, packed: Uint8Array, io: Io): Promise<void> {
  line(io.err, 'fetching the AWS CDK by npm (once)');
  const making = mkdtempSync(`${folder}-`);
  try {
    const files = JSON.parse(gunzipSync(packed).toString('utf8')) as Readonly<Record<string, string>>;
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(making, name)), { recursive: true });
      writeFileSync(path.join(making, name), content);
    }
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
    await runTool('npm', ['ci', ...quiet], { io, folder: making }).catch((error: Error) => {
      throw new Failure(error.message, 'the CDK is fetched by npm once: is its registry reachable?');
    });
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    // Another process may have been faster; what it made is the same.
    if (!existsSync(folder)) throw error;
  }
}

/** A folder of its own where the home cannot be written. */
function cacheFolder(env: Io['env']): string {
  const usual = path.join(env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache'), 'sluice');
  for (const folder of [usual, path.join(tmpdir(), `sluice-${process.getuid?.() ?? 'cache'}`)]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      rmSync(mkdtempSync(path.join(folder, 'try-')), { recursive: true });
      return folder;
    } catch {
      // It cannot be written.
    }
  }
  throw new Failure(`${usual} cannot be written`, 'set XDG_CACHE_HOME to a folder that can');
}
