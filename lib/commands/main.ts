// The command line as a process: streams and signals of Node in, exit status out.
import path from 'node:path';
import { program } from './definitions/index.ts';
import type { Io } from './io.ts';
import { runProgram } from './program.ts';

/** kubectl starts a plugin by its own name. */
export function nameOf(started: string): string {
  return path.basename(started).startsWith('kubectl-sluice') ? 'kubectl sluice' : 'sluice';
}

/** As package.json says it; commander and the Kubernetes client need it. */
const oldestNode = [22, 12] as const;

export async function main({ argv, env }: Pick<NodeJS.Process, 'argv' | 'env'>): Promise<number> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
    process.stderr.write(`error: sluice needs Node ${oldestNode.join('.')} or later, and this is ${process.version}\n`);
    return 1;
  }
  const abort = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => abort.abort());
  // A reader such as head has seen enough: nothing is wrong.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
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

/** Until the time is up or the process is to end. */
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
