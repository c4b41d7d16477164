// Working folder of `install`: CDK app, functions and chart of this release, and the AWS CDK fetched by npm.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { makeOnce } from '../../local/makeOnce.ts';
import { Failure } from '../failure.ts';
import { homeFolder } from '../homeFolder.ts';
import { type Io, line } from '../io.ts';
import { makeFolder } from '../makeFolder.ts';
import { installFiles } from './files.ts';
import { runTool } from './tool.ts';

export interface Workspace {
  readonly chart: string;
  /** Runs the CDK command line and shows its output. */
  cdk(...args: readonly string[]): Promise<string>;
}

type Files = Readonly<Record<string, string>>;

/** Files that pin the CDK; releases with the same pins share one CDK folder. */
const pins = ['package.json', 'package-lock.json'];

/** Fetches the CDK once per pinned version. `packed`: files embedded in the program, as from `installFiles`. */
export async function openWorkspace(io: Io, packed: Uint8Array = installFiles()): Promise<Workspace> {
  const files = JSON.parse(gunzipSync(packed).toString('utf8')) as Files;
  const pinned = pins.map((name) => files[name]).join('\0');
  const cdk = await makeOnce(path.join(cacheFolder(io.env), `cdk-${hashOf(pinned)}`), (making) =>
    fetchCdk(making, files, io),
  );
  // Inside the CDK folder, so that Node resolves the app's packages from it.
  const folder = await makeOnce(path.join(cdk, `install-${hashOf(packed)}`), (making) => write(making, files));
  const program = path.join(cdk, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  // An installation starts the CDK up to four times; the compile cache saves compiling it each time.
  const compiled = { NODE_COMPILE_CACHE: path.join(cdk, 'compiled') };
  const environment = { CI: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true', ...compiled };
  return {
    chart: path.join(folder, 'chart'),
    cdk: (...args) =>
      runTool('node', [program, ...args, '--no-notices', '--no-color'], {
        io,
        folder,
        environment,
        isShown: true,
        name: `cdk ${args[0]}`,
        remedy: 'correct that, and run the same command again: it continues where this one ended',
      }),
  };
}

const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex').slice(0, 16);

async function fetchCdk(making: string, files: Files, io: Io): Promise<void> {
  line(io.err, 'fetching the AWS CDK by npm (once)');
  for (const name of pins) writeFileSync(path.join(making, name), files[name] ?? '');
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--prefer-offline'];
  await runTool('npm', ['ci', ...quiet], { io, folder: making }).catch((error: Error) => {
    throw new Failure(error.message, "npm must fetch the AWS CDK once; check that npm's registry is reachable");
  });
}

function write(making: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(making, name)), { recursive: true });
    writeFileSync(path.join(making, name), content);
  }
}

/** Falls back to a folder in the temporary directory if the home directory is not writable. */
function cacheFolder(env: Io['env']): string {
  const usual = path.join(env.XDG_CACHE_HOME || path.join(homeFolder(env), '.cache'), 'sluice');
  for (const folder of [usual, path.join(tmpdir(), `sluice-${process.getuid?.() ?? 'cache'}`)]) {
    try {
      makeFolder(folder);
      rmSync(mkdtempSync(path.join(folder, 'try-')), { recursive: true });
      return folder;
    } catch {
      // Not writable: try the next one.
    }
  }
  throw new Failure(`${usual} cannot be written`, 'set XDG_CACHE_HOME to a writable folder');
}
