// Signal to end a local run: on a process signal, or when the parent process has ended.

/** Milliseconds between checks of the parent, whose end causes no signal. */
const parentInterval = 500;
/** Longer than a graceful stop takes on a busy machine. */
const graceSeconds = 20;

/**
 * Aborts on SIGINT, SIGTERM, SIGHUP, a closed terminal and the end of the parent. A second SIGINT, or a graceful stop that
 * takes too long, exits the process at once, together with table, watcher and temporary files.
 */
export function endSignal(): AbortSignal {
  const abort = new AbortController();
  const end = () => {
    if (abort.signal.aborted) return;
    abort.abort();
    setTimeout(() => process.exit(1), graceSeconds * 1000).unref();
  };
  process.on('SIGINT', () => (abort.signal.aborted ? process.exit(130) : end()));
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', end);
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && end(), parentInterval).unref();
  return abort.signal;
}
