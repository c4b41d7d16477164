// When a local run has to end: by a signal, or because its parent process is gone.

/** How often the parent is looked for; no signal tells of its end. */
const parentInterval = 500;
/** Longer than an orderly stop takes on a busy machine. */
const graceSeconds = 8;

/**
 * Aborted by SIGINT, SIGTERM, SIGHUP, a closed terminal and the end of the parent. A second SIGINT, and an orderly stop that
 * takes too long, end the process at once; the table, the watcher and temporary files go with it.
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
