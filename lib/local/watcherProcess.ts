// The real watcher as a child process, told where the local queue is; it ends with its parent.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/watcher.ts', import.meta.url));

export interface WatcherProcess {
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export function startWatcherProcess(options: {
  readonly kubeconfig: string;
  readonly queueUrl: string;
  readonly clientEnvironment: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
  /** Called when it ends without being told to. */
  readonly onExit: (status: number | null) => void;
}): WatcherProcess {
  const child: ChildProcess = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Ctrl-C in a terminal reaches a whole process group; the watcher ends when it is told to, or when its input closes.
    detached: true,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...options.clientEnvironment,
      KUBECONFIG: options.kubeconfig,
      SLUICE_INGEST_QUEUE_URL: options.queueUrl,
      SLUICE_EXIT_WITH_PARENT: '1',
    },
  });
  let stopping = false;
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', options.onLog);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', (status) => {
      if (!stopping) options.onExit(status);
      resolve();
    });
  });
  return {
    pid: child.pid,
    async stop() {
      stopping = true;
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 6000);
      await gone;
      clearTimeout(late);
    },
  };
}
