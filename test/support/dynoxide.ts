// dynoxide, a DynamoDB by others that our own table is compared with: its binary as a child process on a free loopback port.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { TableServer } from '../../lib/local/aws/sqliteTable/sqliteServer.ts';
import { freePort } from '../../lib/local/freePort.ts';

/** Makes the kernel kill the server when this process ends for any reason (prctl, PR_SET_PDEATHSIG). */
const bound = ['setpriv', '--pdeathsig', 'KILL'] as const;
const attempts = 5;
const startSeconds = 10;

export async function startDynoxide(binary: string): Promise<TableServer> {
  let why = '';
  // Race: another process may take the port between choosing and binding it.
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = await freePort();
    const [command, ...options] = bound;
    const child = spawn(command, [...options, binary, 'serve', '-p', String(port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C in a terminal signals the whole process group; the table must end after the processes that use it.
      detached: true,
    });
    const heard = await listens(child);
    if (heard === undefined) return { endpoint: `http://127.0.0.1:${port}`, stop: () => end(child) };
    why = heard;
    await end(child);
  }
  throw new Error(`dynoxide does not start: ${why}`);
}

/** Undefined where the package has no binary for this machine, or `setpriv` is missing. */
export function findDynoxide(): string | undefined {
  const found = binaryOf(`@dynoxide/${process.platform}-${process.arch}`);
  if (found === undefined) return undefined;
  const [command, ...options] = bound;
  return spawnSync(command, [...options, found, '--version']).status === 0 ? found : undefined;
}

function binaryOf(name: string): string | undefined {
  try {
    const found = path.join(path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dynoxide');
    return existsSync(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined once it listens, else why it does not. Reads the child's output only: another server may answer on that port. */
function listens(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    const said: string[] = [];
    const timer = setTimeout(() => resolve(`it said nothing within ${startSeconds} s`), startSeconds * 1000);
    const settle = (heard?: string) => {
      clearTimeout(timer);
      resolve(heard);
    };
    for (const input of [child.stdout, child.stderr])
      if (input)
        createInterface({ input }).on('line', (line) => {
          if (said.length < 10) said.push(line);
          if (line.includes('listening on')) settle();
        });
    child.once('error', (error) => settle(error.message));
    child.once('close', () => settle(said.join(' ') || 'it ended without a word'));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
}
