// A narrow client for one API server on node:https: keep-alive, time-outs, one renewal of the credentials on 401.
import https from 'node:https';
import type { ApiFailure } from '../../ports.ts';
import type { Credentials, CredentialsSource } from './credentials.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  /** What the request is about, for messages: `pod default/a`. */
  readonly subject: string;
}

/** Any answer with a JSON body, whatever its status; `Failed` where there was none. */
export type ApiAnswer =
  | {
      readonly kind: 'Answer';
      readonly status: number;
      readonly body: Readonly<Record<string, unknown>>;
      readonly retryAfter?: number;
    }
  | { readonly kind: 'Failed'; readonly why: string };

export interface ApiClient {
  send(request: ApiRequest): Promise<ApiAnswer>;
  close(): void;
}

export interface ApiServerAddress {
  /** `https://host[:port]`. */
  readonly endpoint: string;
  readonly certificateAuthority?: string;
}

/** From the first byte sent to the last received; shorter than an evictor's lease. */
const requestTimeout = 5000;

export function createApiClient(address: ApiServerAddress, credentials: CredentialsSource): ApiClient {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 64, scheduling: 'lifo' });
  const attempt = async (request: ApiRequest, renew: boolean): Promise<ApiAnswer> => {
    const found = await credentials.get(renew);
    if (found.kind === 'Unavailable') return { kind: 'Failed', why: `${request.subject}: ${found.why}` };
    return exchange({ agent, address, request, credentials: found.credentials });
  };
  return {
    async send(request) {
      const answer = await attempt(request, false);
      return answer.kind === 'Answer' && answer.status === 401 ? attempt(request, true) : answer;
    },
    close: () => agent.destroy(),
  };
}

interface Exchange {
  readonly agent: https.Agent;
  readonly address: ApiServerAddress;
  readonly request: ApiRequest;
  readonly credentials: Credentials;
}

function exchange({ agent, address, request, credentials }: Exchange): Promise<ApiAnswer> {
  const payload = request.body === undefined ? undefined : JSON.stringify(request.body);
  const url = new URL(request.path, address.endpoint);
  const failed = (error: Error): ApiAnswer => ({
    kind: 'Failed',
    why: `${request.subject}: API server ${address.endpoint} did not answer (${error.message}); check endpoint, CA and network`,
  });
  return new Promise((resolve) => {
    const sent = https.request(
      url,
      {
        agent,
        method: request.method,
        timeout: requestTimeout,
        headers: headersOf(request, credentials, payload),
        ...(address.certificateAuthority ? { ca: address.certificateAuthority } : {}),
        ...(credentials.clientCertificate ? { cert: credentials.clientCertificate, key: credentials.clientKey } : {}),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', (error) => resolve(failed(error)));
        response.on('end', () =>
          resolve(
            answerOf(response.statusCode ?? 0, response.headers['retry-after'], Buffer.concat(chunks).toString()),
          ),
        );
      },
    );
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${requestTimeout} ms`)));
    sent.on('error', (error) => resolve(failed(error)));
    sent.end(payload);
  });
}

function headersOf(request: ApiRequest, credentials: Credentials, payload: string | undefined): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'sluice',
    ...(credentials.token ? { authorization: `Bearer ${credentials.token}` } : {}),
    ...(payload === undefined
      ? {}
      : {
          'content-type': request.contentType ?? 'application/json',
          'content-length': String(Buffer.byteLength(payload)),
        }),
  };
}

function answerOf(status: number, retryAfter: string | undefined, text: string): ApiAnswer {
  const seconds = Number(retryAfter);
  const after = retryAfter !== undefined && Number.isFinite(seconds) ? { retryAfter: seconds * 1000 } : {};
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null)
      return { kind: 'Answer', status, body: body as Record<string, unknown>, ...after };
  } catch {
    // A proxy's error page, not the API server's Status.
  }
  return { kind: 'Answer', status, body: { message: text.slice(0, 200) }, ...after };
}

const remedies: Readonly<Record<number, string>> = {
  401: 'the credentials are refused even after a renewal: check the access entry or the kubeconfig',
  429: 'the API server asks to wait',
};

/** What an answer means that is none of the expected ones; each status has one name. */
export function failureOf(request: Pick<ApiRequest, 'subject' | 'method'>, answer: ApiAnswer): ApiFailure {
  if (answer.kind === 'Failed') return { kind: 'RetryLater', after: 1000, why: answer.why };
  const said = typeof answer.body.message === 'string' ? answer.body.message : 'no message';
  const what = `${request.method} ${request.subject}: ${answer.status} ${said}`;
  if (answer.status === 403)
    return { kind: 'Refused', why: `${what}; grant the missing verb (deploy/rbac) and the sweep tries again` };
  const remedy =
    remedies[answer.status] ??
    (answer.status >= 500 ? 'the API server is not well' : 'unexpected, see the API server log');
  return { kind: 'RetryLater', after: answer.retryAfter ?? 1000, why: `${what}; ${remedy}` };
}
