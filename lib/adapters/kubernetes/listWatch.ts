// Lists page by page and watches line by line, with every way in which either can end.
//
// client-node's Watch is not used: it ends a silent watch after 30 s, although bookmarks come once a minute, and a line that
// it cannot parse it drops without a word, which would lose a change for good.
import type { IncomingMessage } from 'node:http';
import type { Milliseconds } from '../../model/time.ts';
import type { ApiFailure } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotServed } from './apiFailure.ts';
import { parseJson } from './parseJson.ts';
import { type Json, objectOf, textOf } from './read.ts';

/** `Expired`: the version asked for is gone (410), list again. */
export type ListWatchFailure =
  | { readonly kind: 'Expired'; readonly why: string }
  | { readonly kind: 'NotServed' }
  | ApiFailure;

export type ListPage =
  | {
      readonly kind: 'Page';
      readonly items: readonly unknown[];
      readonly resourceVersion: string;
      /** Absent on the last page. */
      readonly next?: string;
    }
  | ListWatchFailure;

const pageSize = 500;

/** A page of 500 large pods from a busy API server. */
const pageTimeout: Milliseconds = 60_000;

export interface ListOptions {
  /** The page before's `next`. */
  readonly after?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects in a page; 500 by default. */
  readonly limit?: number;
  /** Of each page. */
  readonly timeout?: Milliseconds;
  /** Of the list in messages; its path where absent. */
  readonly subject?: string;
}

/** The most recent state, consistent over all pages. */
export async function listPage(client: ApiClient, path: string, options: ListOptions = {}): Promise<ListPage> {
  const { after, labelSelector, fieldSelector, limit = pageSize } = options;
  const query = new URLSearchParams({
    limit: String(limit),
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
    ...(after ? { continue: after } : {}),
  });
  const request: ApiRequest = {
    method: 'GET',
    path: `${path}?${query}`,
    subject: options.subject ?? `list of ${path}`,
    timeout: options.timeout ?? pageTimeout,
  };
  const answer = await client.send(request);
  if (answer.kind !== 'Answer' || answer.status !== 200) return failed(request, answer);
  const metadata = objectOf(answer.body.metadata);
  const resourceVersion = textOf(metadata.resourceVersion);
  if (!resourceVersion || !(Array.isArray(answer.body.items) || answer.body.items === null)) {
    return {
      kind: 'RetryLater',
      after: 1000,
      why: `${request.subject}: the answer is no list; is this an API server?`,
    };
  }
  const next = textOf(metadata.continue);
  return { kind: 'Page', items: answer.body.items ?? [], resourceVersion, ...(next ? { next } : {}) };
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Json; readonly resourceVersion: string }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** `Closed`: ended as watches do; continue from the last version. `Garbled`: something was said that could not be read. */
export type WatchEnd =
  | { readonly kind: 'Closed' }
  | { readonly kind: 'Garbled'; readonly why: string }
  | ListWatchFailure;

export interface WatchOptions {
  readonly path: string;
  readonly resourceVersion: string;
  /** After this the API server closes the watch. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  /** Nothing more is read until its promise is kept; TCP makes the API server wait. */
  readonly onEvent: (event: WatchEvent) => Promise<void> | undefined;
}

/** Without a byte for this long the connection is dead: bookmarks come about once a minute. */
const silence: Milliseconds = 150_000;

export async function watch(client: ApiClient, options: WatchOptions): Promise<WatchEnd> {
  const query = new URLSearchParams({
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion: options.resourceVersion,
    timeoutSeconds: String(options.seconds),
  });
  const request: ApiRequest = {
    method: 'GET',
    path: `${options.path}?${query}`,
    subject: `watch of ${options.path}`,
    timeout: 10_000,
  };
  const answer = await client.open(request, options.signal);
  if (options.signal.aborted) return { kind: 'Closed' };
  if (answer.kind !== 'Stream') return failed(request, answer);
  options.onOpen();
  return readStream(answer.response, request, options);
}

function failed(request: ApiRequest, answer: ApiAnswer): ListWatchFailure {
  const failure = failureOf(request, answer);
  if (answer.kind === 'Answer' && answer.status === 410) return { kind: 'Expired', why: failure.why };
  return saysNotServed(answer) ? { kind: 'NotServed' } : failure;
}

async function readStream(response: IncomingMessage, request: ApiRequest, options: WatchOptions): Promise<WatchEnd> {
  // A peer that has gone without a word is found out within about 20 s.
  response.socket.setKeepAlive(true, 10_000);
  try {
    for await (const line of linesOf(response)) {
      const taken = takeLine(request, line);
      if ('kind' in taken) return taken;
      await options.onEvent(taken);
    }
    return { kind: 'Closed' };
  } catch (error) {
    if (options.signal.aborted) return { kind: 'Closed' };
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'RetryLater', after: 0, why: `${request.subject} broke: ${why}` };
  } finally {
    response.destroy();
  }
}

/** Complete lines; what stands after the last one was cut off and comes again, because the version has not moved. */
async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  response.setEncoding('utf8');
  const dead = () => response.destroy(new Error(`nothing heard for ${silence / 1000} s`));
  let timer = setTimeout(dead, silence);
  let rest = '';
  try {
    for await (const text of response) {
      clearTimeout(timer);
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter((line) => line !== '');
      timer = setTimeout(dead, silence);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** An event, or the end of the watch: a line that cannot be read may hide a change, and only a list can tell which. */
function takeLine(request: ApiRequest, line: string): WatchEvent | Exclude<WatchEnd, { kind: 'Closed' }> {
  let event: Json;
  try {
    event = objectOf(parseJson(line));
  } catch {
    return { kind: 'Garbled', why: `${request.subject}: a line is not JSON (${line.slice(0, 80)})` };
  }
  const object = objectOf(event.object);
  const { type } = event;
  if (type === 'ERROR') return errorOf(request, object);
  const resourceVersion = textOf(objectOf(object.metadata).resourceVersion);
  const isKnown = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
  if (isKnown && resourceVersion) return { type, object, resourceVersion };
  return { kind: 'Garbled', why: `${request.subject}: an event cannot be read (${line.slice(0, 80)})` };
}

/** The Status in an ERROR event, as if it had been the answer. */
function errorOf(request: ApiRequest, status: Json): ListWatchFailure {
  const code = typeof status.code === 'number' ? status.code : 500;
  return failed(request, { kind: 'Answer', status: code, body: status });
}
