// Paged lists and line-based watches, with all ways in which they can end. client-node's Watch is not used: it ends a silent watch after 30
// s, although bookmarks come once a minute, and it silently drops lines that it cannot parse, which would lose a change permanently.
import type { IncomingMessage } from 'node:http';
import type { Milliseconds } from '../../model/time.ts';
import type { ApiFailure } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf, saysNotServed } from './apiFailure.ts';
import { parseJson } from './parseJson.ts';
import { type Json, objectOf, textOf } from './read.ts';

/** `Expired`: the requested version is no longer available (410); relist. */
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

export const pageSize = 500;

/** Enough for 500 large pods from a busy API server. */
const pageTimeout: Milliseconds = 60_000;

export interface ListOptions {
  /** `next` of the previous page. */
  readonly after?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Objects per page; default 500. */
  readonly limit?: number;
  /** Timeout per page. */
  readonly timeout?: Milliseconds;
  /** Name of the list in messages; default: its path. */
  readonly subject?: string;
}

/** One page of the most recent state, consistent over all pages. */
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

/** `Closed`: regular end; resume from the last version. `Garbled`: a line could not be read. */
export type WatchEnd =
  | { readonly kind: 'Closed' }
  | { readonly kind: 'Garbled'; readonly why: string }
  | ListWatchFailure;

export interface WatchOptions {
  readonly path: string;
  readonly resourceVersion: string;
  /** The API server closes the watch after this time. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  /** No more is read until the promise resolves; TCP flow control makes the API server wait. */
  readonly onEvent: (event: WatchEvent) => Promise<void> | undefined;
}

/** After this time without data the connection counts as dead: bookmarks arrive about once a minute. */
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
  // Detects a peer that disappeared silently, within about 20 s.
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

/** Yields complete lines. A truncated last line is dropped: the version has not advanced, so the resumed watch sends it again. */
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

/** An event, or the end of the watch: an unreadable line may hide a change, and only a relist can find it. */
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

/** The Status of an ERROR event, treated as an HTTP response. */
function errorOf(request: ApiRequest, status: Json): ListWatchFailure {
  const code = typeof status.code === 'number' ? status.code : 500;
  return failed(request, { kind: 'Answer', status: code, body: status });
}
