// The project's own table server: a thread of this process.
import { Worker } from 'node:worker_threads';

export interface TableServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** The source file in a checkout, or the bundle beside the program. */
const program = new URL(import.meta.url.endsWith('.ts') ? './tableThread.ts' : './tableThread.mjs', import.meta.url);

export async function startSqliteServer(): Promise<TableServer> {
  const worker = new Worker(program, { name: 'table', execArgv: ['--disable-warning=ExperimentalWarning'] });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (status) => reject(new Error(`the table's thread ended with ${status}`)));
  });
  return { endpoint: `http://127.0.0.1:${port}`, stop: async () => void (await worker.terminate()) };
}
