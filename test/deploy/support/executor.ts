// The executor as a process beside the cluster, with the environment that the stack's output names.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../bin/executor.ts', import.meta.url));

/** Returns a function that stops it. */
export function startExecutor(
  environment: Readonly<Record<string, string>>,
  onLog: (line: string) => void,
): () => Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...environment, SLUICE_EXIT_WITH_PARENT: '1' },
  });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLog);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return async () => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 8000);
    await gone;
    clearTimeout(late);
  };
}
