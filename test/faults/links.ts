// The network between one process and the API server: the fate of requests and watches.
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { ApiAnswer, ApiRequest } from '../../lib/adapters/kubernetes/apiClient.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';

/** The fate of one request; the owner of the link draws it. */
export interface Fate {
  readonly before: Milliseconds;
  readonly after: Milliseconds;
  /** `Unsent`: the request never arrives. `Unheard`: it is carried out, and its response is lost. A number: that status instead. */
  readonly failure?: 'Unsent' | 'Unheard' | 429 | 500 | 503;
}

export interface Link {
  fate(request: ApiRequest): Fate;
  /** The delay of a line of a watch. */
  lineDelay(): Milliseconds;
  /** Whether the link is cut now. */
  isCut(): boolean;
  sleep(duration: Milliseconds): Promise<void>;
}

export function refusal(code: 429 | 500 | 503, at: Instant): ApiAnswer {
  const body = { kind: 'Status', code, message: 'the server is currently unable to handle the request' };
  return { kind: 'Answer', status: code, body, date: new Date(at).toUTCString(), retryAfter: 1000 };
}

/** Delivers lines in order, each with a delay; none while the link is cut. */
export function delayedSink(stream: WatchResponse, link: Link) {
  let last = Promise.resolve();
  const then = (run: () => void) => {
    last = last.then(async () => {
      await link.sleep(link.lineDelay());
      while (link.isCut() && !stream.destroyed) await link.sleep(500);
      if (!stream.destroyed) run();
    });
  };
  return { write: (line: string) => then(() => stream.write(line)), end: () => then(() => stream.end()) };
}

/** The part of a response that the reader of a watch needs. It only waits for promises; a Node stream would wait for several ticks. */
export class WatchResponse extends EventEmitter {
  readonly socket = { setKeepAlive: () => {} };
  readonly setEncoding = () => {};
  destroyed = false;
  #lines: string[] = [];
  #isEnded = false;
  #error: Error | undefined;
  #wake = () => {};

  write(line: string): void {
    this.#lines.push(line);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  destroy(error = new Error('Premature close')): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#error = error;
    this.#wake();
    this.emit('close');
  }

  asIncomingMessage(): IncomingMessage {
    return this as unknown as IncomingMessage;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for (;;) {
      if (this.#error) throw this.#error;
      const text = this.#lines.splice(0).join('');
      if (text !== '') yield text;
      else if (this.#isEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
