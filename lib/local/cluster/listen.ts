// Opens the TLS socket of the simulated API server with a self-signed certificate.
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import { selfSignedCertificate } from './certificate.ts';

export interface Listening {
  readonly server: Server;
  readonly url: string;
  /** PEM. */
  readonly ca: string;
}

/** Binds `host`, or 127.0.0.1 if this machine does not have that address; port 0: any free port. */
export async function listen(handler: RequestListener, host: string, port: number): Promise<Listening> {
  const day = 24 * 60 * 60 * 1000;
  const { certificate, privateKey } = selfSignedCertificate({
    commonName: 'sluice-simulated-cluster',
    hosts: ['127.0.0.1', '127.0.0.2', 'localhost'],
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + 365 * day),
  });
  const server = createServer({ cert: certificate, key: privateKey, ALPNProtocols: ['http/1.1'] }, handler);
  // Go clients keep idle connections for 90 s; closing them earlier would lose requests in flight.
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  const bound = await bind(server, host, port).catch(() => bind(server, '127.0.0.1', port));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the simulated cluster has no TCP port');
  return { server, url: `https://${bound}:${address.port}`, ca: certificate };
}

async function bind(server: Server, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return host;
}
