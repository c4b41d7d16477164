// How requests and watches fare between one process and the API server.
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { PassThrough } from 'node:stream';
import type { ApiAnswer, ApiRequest } from '../../lib/adapters/kubernetes/apiClient.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';

/** How one request fares; each answer is drawn by whoever owns the link. */
export interface Fate {
  readonly before: Milliseconds;
  readonly after: Milliseconds;
  /** `Unsent`: it never arrives. `Unheard`: it is carried out, and nobody hears of it. A number: that status instead. */
  readonly failure?: 'Unsent' | 'Unheard' | 429 | 500 | 503;
}

export interface Link {
  fate(request: ApiRequest): Fate;
  /** How long a line of a watch takes. */
  lineDelay(): Milliseconds;
  /** Whether nothing gets through now. */
  isCut(): boolean;
  sleep(duration: Milliseconds): Promise<void>;
}

export function refusal(code: 429 | 500 | 503, at: Instant): ApiAnswer {
  const body = { kind: 'Status', code, message: 'the server is currently unable to handle the request' };
  return { kind: 'Answer', status: code, body, date: new Date(at).toUTCString(), retryAfter: 1000 };
}

/** Lines come in order, each a while after it was written; none while the link is cut. */
export function delayedSink(stream: PassThrough, link: Link) {
  let last = Promise.resolve();
  const then = (run: () => void) => {
    last = last.then(async () => {
      await link.sleep(link.lineDelay());
      while (link.isCut() && !stream.destroyed) await link.sleep(500);
      if (!stream.destroyed) run();
    });
  };
  return { write: (line: string) => then(() => void stream.write(line)), end: () => then(() => void stream.end()) };
}

/** As much of a response as the reader of a watch needs. */
export function asResponse(stream: PassThrough): IncomingMessage {
  return Object.assign(stream, {
    socket: Object.assign(new EventEmitter(), { setKeepAlive: () => {} }),
  }) as unknown as IncomingMessage;
}
