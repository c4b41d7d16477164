// A TCP tunnel on loopback that a test can cut: traffic is then lost, as on a network that no longer reaches AWS.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What a client sees while the tunnel is cut: its connections are closed, or nothing answers. */
export type Cut = 'closes' | 'is silent';

export interface Tunnel {
  /** Replaces the endpoint that was given. */
  readonly endpoint: string;
  cut(how: Cut): void;
  repair(): void;
  stop(): Promise<void>;
}

export async function startTunnel(to: string): Promise<Tunnel> {
  const { hostname, port } = new URL(to);
  const open = new Set<Socket>();
  let state: Cut | 'whole' = 'whole';
  const server = createServer((near) => {
    if (state === 'closes') return void near.destroy();
    keep(near);
    if (state === 'whole') {
      const far = keep(connect(Number(port), hostname));
      near.pipe(far).pipe(near);
      near.once('close', () => far.destroy());
      far.once('close', () => near.destroy());
    }
  });
  const keep = (socket: Socket): Socket => {
    open.add(socket.on('error', () => {}).once('close', () => open.delete(socket)));
    return socket;
  };
  const closeAll = () => {
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(how) {
      state = how;
      if (how === 'closes') closeAll();
      else for (const socket of open) socket.unpipe().pause();
    },
    repair() {
      state = 'whole';
      closeAll();
    },
    stop() {
      closeAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
