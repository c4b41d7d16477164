// Process entry of the command line: takes Node's streams and signals, returns the exit status.
import path from 'node:path';
import { program } from './definitions/index.ts';
import type { Io } from './io.ts';
import { runProgram } from './program.ts';

/** kubectl starts plugins as `kubectl-NAME`. */
export function nameOf(started: string): string {
  return path.basename(started).startsWith('kubectl-sluice') ? 'kubectl sluice' : 'sluice';
}

/** Same as `engines` in package.json; on older versions the Kubernetes client fails with a TypeError. */
const oldestNode = [22, 19] as const;

/** Error message for an unsupported version of Node such as `20.0.0`; absent if supported. */
export function nodeProblem(version: string, started = 'sluice'): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return undefined;
  return [
    `error: sluice needs Node ${oldestNode.join('.')} or later, and this is v${version}`,
    `install a newer Node, or run sluice with Node from npm: npx --yes node@24 ${started}`,
  ].join('\n');
}

export async function main({ argv, env }: Pick<NodeJS.Process, 'argv' | 'env'>): Promise<number> {
  const problem = nodeProblem(process.versions.node, argv[1]);
  if (problem !== undefined) {
    process.stderr.write(`${problem}\n`);
    return 1;
  }
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => abort.abort());
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as head has closed the pipe, which is no error.
    if (error.code === 'EPIPE') process.exit(0);
    // A closed terminal, which also sends SIGHUP: the verb ends by itself and removes its files.
    if (error.code === 'EIO') return abort.abort();
    process.stderr.write(`error: the answer could not be written to standard output: ${error.message}\n`);
    process.exit(1);
  });
  // Without a reader of standard error, the exit status remains.
  process.stderr.on('error', () => {});
  const io: Io = {
    out: process.stdout,
    err: process.stderr,
    input: process.stdin,
    env,
    now: Date.now,
    sleep: (milliseconds) => sleep(milliseconds, abort.signal),
    signal: abort.signal,
  };
  return runProgram(program, { name: nameOf(argv[1] ?? ''), words: argv.slice(2), io });
}

/** Resolves after the time, or when the signal aborts. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
