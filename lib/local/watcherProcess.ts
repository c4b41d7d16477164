// The real watcher as a child process, told where the local queue is; it ends with its parent.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface WatcherProcess {
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export function startWatcherProcess(options: {
  /** `bin/watcher.ts` or its bundle. */
  readonly program: string;
  readonly compileCache?: string;
  readonly kubeconfig: string;
  readonly queueUrl: string;
  readonly clientEnvironment: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
  /** Called when it ends without being told to. */
  readonly onExit: (status: number | null) => void;
}): WatcherProcess {
  const child: ChildProcess = spawn(process.execPath, [options.program], {
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
      ...(options.compileCache === undefined ? {} : { NODE_COMPILE_CACHE: options.compileCache }),
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
