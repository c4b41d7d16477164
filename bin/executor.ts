// Process of the executor, which evicts within an outbound cluster: environment in, exit status out, ends on SIGTERM.
import { runExecutor } from '../lib/executor/run.ts';

const abort = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => abort.abort());
// Tests hold a pipe to stdin; when it closes, the parent has ended.
if (process.env.SLUICE_EXIT_WITH_PARENT === '1') process.stdin.on('end', () => process.exit(0)).resume();

try {
  await runExecutor({ env: process.env, signal: abort.signal });
  process.exit(0);
} catch (error) {
  const message = `the executor cannot continue: ${error instanceof Error ? error.message : error}`;
  console.error(JSON.stringify({ level: 'ERROR', message, timestamp: new Date().toISOString() }));
  process.exit(1);
}
