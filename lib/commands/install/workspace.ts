// The folder that `install` works in: the CDK app, the functions and the chart of this release, and the CDK that npm fetches.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { makeOnce } from '../../local/makeOnce.ts';
import { Failure } from '../failure.ts';
import { type Io, line } from '../io.ts';
import { makeFolder } from '../makeFolder.ts';
import { installFiles } from './files.ts';
import { runTool } from './tool.ts';

export interface Workspace {
  readonly chart: string;
  /** The command line of the CDK; what it prints is shown. */
  cdk(...args: readonly string[]): Promise<string>;
}

type Files = Readonly<Record<string, string>>;

/** What npm installs the CDK from: releases that pin the same one share it. */
const pins = ['package.json', 'package-lock.json'];

/** Fetches the CDK once, and again only for a release that pins another. `packed` is what the program brings along. */
export async function openWorkspace(io: Io, packed: Uint8Array = installFiles()): Promise<Workspace> {
  const files = JSON.parse(gunzipSync(packed).toString('utf8')) as Files;
  const pinned = pins.map((name) => files[name]).join('\0');
  const cdk = await makeOnce(path.join(cacheFolder(io.env), `cdk-${hashOf(pinned)}`), (making) =>
    fetchCdk(making, files, io),
  );
  // Inside that folder, so that the app finds the packages above it.
  const folder = await makeOnce(path.join(cdk, `install-${hashOf(packed)}`), (making) => write(making, files));
  const program = path.join(cdk, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  // One installation starts the CDK up to four times, and each would compile all of it.
  const compiled = { NODE_COMPILE_CACHE: path.join(cdk, 'compiled') };
  const environment = { CI: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true', ...compiled };
  return {
    chart: path.join(folder, 'chart'),
    cdk: (...args) =>
      runTool('node', [program, ...args, '--no-notices', '--no-color'], { io, folder, environment, isShown: true }),
  };
}

const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex').slice(0, 16);

async function fetchCdk(making: string, files: Files, io: Io): Promise<void> {
  line(io.err, 'fetching the AWS CDK by npm (once)');
  for (const name of pins) writeFileSync(path.join(making, name), files[name] ?? '');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  await runTool('npm', ['ci', ...quiet], { io, folder: making }).catch((error: Error) => {
    throw new Failure(error.message, 'the CDK is fetched by npm once: is its registry reachable?');
  });
}

function write(making: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(making, name)), { recursive: true });
    writeFileSync(path.join(making, name), content);
  }
}

/** A folder of its own where the home cannot be written. */
function cacheFolder(env: Io['env']): string {
  const usual = path.join(env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache'), 'sluice');
  for (const folder of [usual, path.join(tmpdir(), `sluice-${process.getuid?.() ?? 'cache'}`)]) {
    try {
      makeFolder(folder);
      rmSync(mkdtempSync(path.join(folder, 'try-')), { recursive: true });
      return folder;
    } catch {
      // It cannot be written.
    }
  }
  throw new Failure(`${usual} cannot be written`, 'set XDG_CACHE_HOME to a folder that can');
}
