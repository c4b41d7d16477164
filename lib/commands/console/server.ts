// Serves the console on 127.0.0.1 until stopped.
import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Failure } from '../failure.ts';
import { createConsoleApp } from './app.ts';
import { type ConsoleOptions, createSource } from './source.ts';

export type ServedConsole = Omit<ConsoleOptions, 'signal'> & {
  /** 0 or absent: any free port. */
  readonly port?: number;
};

export interface ConsoleServer {
  /** `http://127.0.0.1:<port>/`. */
  readonly url: string;
  readonly port: number;
  /** Also closes open connections. */
  stop(): Promise<void>;
}

/** Rejects if the port is in use. */
export async function startConsole({ port = 0, ...options }: ServedConsole): Promise<ConsoleServer> {
  const ending = new AbortController();
  const { fetch } = createConsoleApp(createSource({ ...options, signal: ending.signal }));
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      ending.abort();
      reject(
        error.code === 'EADDRINUSE'
          ? new Failure(`port ${port} is in use`, 'specify another port with --port, or 0 for any free port')
          : error,
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}/`,
    port: bound,
    stop: () =>
      new Promise((resolve) => {
        ending.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
