// Runs `sluice console` as a separate process and measures its heap after a garbage collection.
import { spawn } from 'node:child_process';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

export interface ServedConsole {
  /** Without a trailing slash. */
  readonly url: string;
  /** Heap in bytes after a garbage collection. */
  usedHeap(): Promise<number>;
  stop(): Promise<void>;
}

export async function serveConsole(kubeconfig: string): Promise<ServedConsole> {
  const words = ['--inspect=127.0.0.1:0', 'bin/sluice.ts', 'console', '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = firstMatch(child.stdout, /http:\/\/\S+(?=\/\s)/, ended);
  const inspector = firstMatch(child.stderr, /ws:\/\/\S+/, ended);
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
  };
  try {
    const debugged = await inspector;
    return {
      url: await url,
      usedHeap: () =>
        askInspector(debugged, async (ask) => {
          await ask('HeapProfiler.collectGarbage');
          const { usedSize } = await ask('Runtime.getHeapUsage');
          return Number(usedSize);
        }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function firstMatch(stream: NodeJS.ReadableStream, pattern: RegExp, ended: Promise<void>): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    stream.on('data', (data: Buffer) => {
      text += data;
      const [found] = pattern.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    ended.then(() => reject(new Error(`sluice console ended: ${text}`)));
  });
}

/** A new connection per request: at its end, a process waits for connected debuggers. */
async function askInspector<T>(url: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const socket = new WebSocket(url);
  const { promise: lost, reject } = Promise.withResolvers<never>();
  socket.onerror = () => reject(new Error('the inspector of sluice console cannot be reached'));
  socket.onclose = () => reject(new Error('the inspector of sluice console ended the connection'));
  let last = 0;
  const ask: Ask = async (method) => {
    const id = ++last;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const heard = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data));
      if (answer.id === id) resolve(answer.result ?? {});
    };
    socket.addEventListener('message', heard);
    socket.send(JSON.stringify({ id, method }));
    return Promise.race([promise, lost]);
  };
  try {
    await Promise.race([new Promise((resolve) => socket.addEventListener('open', resolve)), lost]);
    return await work(ask);
  } finally {
    socket.onclose = null;
    socket.close();
  }
}

/** Sends a command of the Chrome DevTools Protocol, which Node's inspector implements. */
type Ask = (method: string) => Promise<Answer>;
type Answer = Readonly<Record<string, unknown>>;
