// Process of the watcher: environment in, exit status out, ends on SIGTERM.
import { systemClock } from '../lib/adapters/clock.ts';
import type { Log } from '../lib/ports.ts';
import { readWatcherEnvironment } from '../lib/watcher/environment.ts';
import { runWatcher } from '../lib/watcher/run.ts';

const line = (level: string, message: string, fields: object = {}) =>
  JSON.stringify({ level, message, timestamp: new Date().toISOString(), ...fields });
const log: Log = {
  info: (message, fields) => console.log(line('INFO', message, fields)),
  warn: (message, fields) => console.log(line('WARN', message, fields)),
  error: (message, fields) => console.error(line('ERROR', message, fields)),
};

const read = readWatcherEnvironment(process.env);
if (read.kind === 'Unusable') {
  for (const problem of read.problems) log.error(problem);
  process.exit(1);
}
const abort = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => abort.abort());
// A local run holds a pipe to stdin; when it closes, the parent has ended.
if (process.env.SLUICE_EXIT_WITH_PARENT === '1') process.stdin.on('end', () => process.exit(0)).resume();

try {
  await runWatcher({ environment: read.environment, env: process.env, clock: systemClock, log, signal: abort.signal });
  process.exit(0);
} catch (error) {
  log.error(`the watcher cannot continue: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
