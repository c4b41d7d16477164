// Runs the real watcher as a child process with the local queue; restarts it when it ends, and ends it with the parent.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { nodeFlags } from '../watcher/nodeFlags.ts';

export interface WatcherProcess {
  /** Process id of the current watcher. */
  pid(): number | undefined;
  stop(): Promise<void>;
}

export interface WatcherProcessOptions {
  /** `bin/watcher.ts` or its bundle. */
  readonly program: string;
  readonly compileCache?: string;
  readonly kubeconfig: string;
  readonly queueUrl: string;
  readonly clientEnvironment: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
  /** Called when the watcher ends unexpectedly. */
  readonly onExit: (status: number | null) => void;
}

const startAgainAfter = 1000;

export function startWatcherProcess(options: WatcherProcessOptions): WatcherProcess {
  let stopping = false;
  let again: NodeJS.Timeout | undefined;
  const run = (): ChildProcess => {
    const child = spawnWatcher(options);
    child.once('exit', (status) => {
      if (stopping) return;
      options.onExit(status);
      again = setTimeout(() => {
        current = run();
      }, startAgainAfter);
    });
    return child;
  };
  let current = run();
  return {
    pid: () => current.pid,
    async stop() {
      stopping = true;
      clearTimeout(again);
      if (current.exitCode !== null || current.signalCode !== null) return;
      const gone = new Promise((resolve) => current.once('exit', resolve));
      current.kill('SIGTERM');
      const late = setTimeout(() => current.kill('SIGKILL'), 6000);
      await gone;
      clearTimeout(late);
    },
  };
}

function spawnWatcher(options: WatcherProcessOptions): ChildProcess {
  const child = spawn(process.execPath, [...nodeFlags, options.program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C in a terminal signals the whole process group; the watcher must end only by `stop`, or when its stdin closes.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...options.clientEnvironment,
      KUBECONFIG: options.kubeconfig,
      SLUICE_INGEST_QUEUE_URL: options.queueUrl,
      SLUICE_EXIT_WITH_PARENT: '1',
      ...(options.compileCache === undefined ? {} : { NODE_COMPILE_CACHE: options.compileCache }),
    },
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', options.onLog);
  return child;
}
