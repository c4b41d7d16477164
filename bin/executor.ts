// The process of an outbound cluster that evicts from within: environment in, exit status out, ends on SIGTERM.
import { runExecutor } from '../lib/executor/run.ts';

const abort = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => abort.abort());
// A test holds this process by a pipe; when that closes its parent is gone.
if (process.env.SLUICE_EXIT_WITH_PARENT === '1') process.stdin.on('end', () => process.exit(0)).resume();

try {
  await runExecutor({ env: process.env, signal: abort.signal });
  process.exit(0);
} catch (error) {
  const message = `the executor cannot continue: ${error instanceof Error ? error.message : error}`;
  console.error(JSON.stringify({ level: 'ERROR', message, timestamp: new Date().toISOString() }));
  process.exit(1);
}
