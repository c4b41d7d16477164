// One HTTP request to an API server on node:https, with error messages that name a remedy.
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Milliseconds } from '../../model/time.ts';
import type { Credentials } from './credentials.ts';

export interface ApiServerAddress {
  /** `https://host[:port]`. */
  readonly endpoint: string;
  /** PEM of the CA that signed the API server's certificate; absent: the system's CAs. */
  readonly certificateAuthority?: string;
  /** From a kubeconfig only: `insecure-skip-tls-verify` and `tls-server-name`. */
  readonly skipTlsVerify?: boolean;
  readonly tlsServerName?: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  /** Subject of the request for messages, such as `pod default/a`. */
  readonly subject: string;
  /** For the whole exchange; for a stream, until its headers arrive. */
  readonly timeout?: Milliseconds;
}

export interface Exchange {
  readonly agent: http.Agent;
  readonly address: ApiServerAddress;
  readonly request: ApiRequest;
  readonly credentials: Credentials;
  readonly timeout: Milliseconds;
  readonly signal?: AbortSignal;
}

/** Rejects with an Error whose message can be shown to people. The caller must read or destroy the body. */
export function openExchange(exchange: Exchange): Promise<IncomingMessage> {
  const { request, address } = exchange;
  const payload = request.body === undefined ? undefined : JSON.stringify(request.body);
  return new Promise((resolve, reject) => {
    const url = new URL(request.path, address.endpoint);
    const send = url.protocol === 'http:' ? http.request : https.request;
    const sent = send(url, optionsOf(exchange, payload));
    const timer = setTimeout(
      () => sent.destroy(new Error(`no answer within ${exchange.timeout} ms`)),
      exchange.timeout,
    );
    sent.on('response', (response) => {
      clearTimeout(timer);
      resolve(response);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      // The server closed a keep-alive connection while this request was being sent: there was no response, so send it again. Not for
      // DELETE, which may have been executed; its caller checks the pod before a retry.
      if (sent.reusedSocket && isReset(error) && request.method !== 'DELETE') resolve(openExchange(exchange));
      else reject(new Error(explain(exchange, error), { cause: error }));
    });
    sent.end(payload);
  });
}

function isReset(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE';
}

function optionsOf({ agent, address, request, credentials, signal }: Exchange, payload: string | undefined) {
  return {
    agent,
    method: request.method,
    headers: headersOf(request, credentials, payload),
    ...(signal ? { signal } : {}),
    ...(address.certificateAuthority ? { ca: address.certificateAuthority } : {}),
    ...(address.skipTlsVerify ? { rejectUnauthorized: false } : {}),
    ...(address.tlsServerName ? { servername: address.tlsServerName } : {}),
    ...(credentials.clientCertificate ? { cert: credentials.clientCertificate, key: credentials.clientKey } : {}),
  };
}

function headersOf(request: ApiRequest, credentials: Credentials, payload: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'sluice',
    ...credentials.headers,
    ...(credentials.token ? { authorization: `Bearer ${credentials.token}` } : {}),
    ...(payload === undefined
      ? {}
      : {
          'content-type': request.contentType ?? 'application/json',
          'content-length': String(Buffer.byteLength(payload)),
        }),
  };
}

/** Why a request got no response, and where to look. */
export function explain(of: Pick<Exchange, 'address' | 'request'>, error: NodeJS.ErrnoException): string {
  const { request, address } = of;
  const what = `${request.method} ${request.subject}: no answer from ${address.endpoint} (${error.message || error.code})`;
  return `${what}; ${remedyOf(error)}`;
}

function remedyOf(error: NodeJS.ErrnoException): string {
  const code = error.code ?? '';
  if (/CERT|TLS|SSL|ISSUER|SIGNATURE/.test(code)) {
    return 'the certificate was not accepted: check the configured certificate authority and the host name';
  }
  if (code === 'ECONNREFUSED') return 'nothing listens there: check the endpoint and whether the API server runs';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'the host name cannot be resolved: check the endpoint and DNS';
  return 'check the network path to the API server (routes, security groups, proxies) and its load';
}
