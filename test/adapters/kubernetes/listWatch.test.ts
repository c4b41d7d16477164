// Lists and watches: what they request and read, and each way in which either can end.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import { listPage, type WatchEvent, watch } from '../../../lib/adapters/kubernetes/listWatch.ts';
import { tokenOf } from '../../support/clusterUnderTest.ts';
import { type Answer, type AnsweringServer, startAnsweringServer, status } from './answeringServer.ts';

const path = '/api/v1/pods';
let server: AnsweringServer;
let client: ApiClient;
beforeAll(async () => {
  server = await startAnsweringServer();
  client = createApiClient({ endpoint: server.endpoint, certificateAuthority: server.ca }, tokenOf('token'));
});
afterAll(async () => {
  client.close();
  await server.close();
});

const event = (type: string, version: string, more: object = {}) =>
  JSON.stringify({ type, object: { metadata: { resourceVersion: version, ...more } } });
const gone = JSON.stringify({
  type: 'ERROR',
  object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' },
});
const body = (...lines: string[]): Answer => ({ status: 200, body: lines.join('\n') });

async function watched(answer: Answer, signal = new AbortController().signal) {
  const events: WatchEvent[] = [];
  let opened = 0;
  server.answer(answer);
  const end = await watch(client, {
    path,
    resourceVersion: '5',
    seconds: 300,
    signal,
    onOpen: () => {
      opened++;
    },
    onEvent: (one) => {
      events.push(one);
      return undefined;
    },
  });
  return { end, opened, versions: events.map((one) => `${one.type} ${one.resourceVersion}`) };
}

describe('a watch', () => {
  it('a watch starts after the given version, with bookmarks, and hands out events until it is closed', async () => {
    const { end, opened, versions } = await watched(
      body(event('ADDED', '6'), event('MODIFIED', '7'), event('BOOKMARK', '9'), event('DELETED', '10'), ''),
    );
    expect({ end, opened }).toEqual({ end: { kind: 'Closed' }, opened: 1 });
    expect(versions).toEqual(['ADDED 6', 'MODIFIED 7', 'BOOKMARK 9', 'DELETED 10']);
    const asked = new URL(server.asked[0]?.path ?? '', server.endpoint);
    expect(Object.fromEntries(asked.searchParams)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '5',
      timeoutSeconds: '300',
    });
  });

  it('a watch drops a line that was cut off, because its event is sent again', async () => {
    const { end, versions } = await watched(body(event('ADDED', '6'), event('ADDED', '7').slice(0, 20)));
    expect(end).toEqual({ kind: 'Closed' });
    expect(versions).toEqual(['ADDED 6']);
  });

  it.each([
    ['a line that is no JSON', '<html>', /is not JSON/],
    ['a type that is unknown', event('REPLACED', '7'), /cannot be read/],
    ['an event without version', '{"type":"ADDED","object":{}}', /cannot be read/],
    ['a list', '[]', /cannot be read/],
  ])('a watch ends at a line that it cannot read, because a change may be lost: %s', async (_, line, why) => {
    const { end, versions } = await watched(body(event('ADDED', '6'), line, event('ADDED', '8'), ''));
    expect(end).toMatchObject({ kind: 'Garbled', why: expect.stringMatching(why) });
    expect(versions).toEqual(['ADDED 6']);
  });

  it.each<[string, Answer, object]>([
    ['an ERROR event with 410', body(event('ADDED', '6'), gone, ''), { kind: 'Expired' }],
    ['status 410', status(410, 'Expired', 'too old resource version'), { kind: 'Expired' }],
    [
      'an ERROR event with 500',
      body('{"type":"ERROR","object":{"code":500,"message":"etcd"}}', ''),
      { kind: 'RetryLater' },
    ],
    ['an ERROR event that says nothing', body('{"type":"ERROR"}', ''), { kind: 'RetryLater' }],
    [
      'status 403',
      status(403, 'Forbidden', 'cannot watch pods'),
      { kind: 'Refused', why: expect.stringContaining('watch of /api/v1/pods') },
    ],
    ['status 404', status(404, 'NotFound', 'the server could not find the requested resource'), { kind: 'NotServed' }],
    ['status 429', { status: 429, body: {}, headers: { 'retry-after': '5' } }, { kind: 'RetryLater', after: 5000 }],
    ['a connection that breaks', 'reset', { kind: 'RetryLater' }],
  ])('a watch reports how it ended: %s', async (_, answer, end) => {
    expect((await watched(answer)).end).toMatchObject(end);
  });

  it('a watch that is stopped is closed, even before it opens', async () => {
    const abort = new AbortController();
    const stopping = watched('silence', abort.signal);
    setTimeout(() => abort.abort(), 20);
    expect((await stopping).end).toEqual({ kind: 'Closed' });
    expect((await watched(body(''), abort.signal)).end).toEqual({ kind: 'Closed' });
  });

  it('a watch reads no further while an event is being processed', async () => {
    server.answer(body(event('ADDED', '6'), event('ADDED', '7'), ''));
    const seen: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const options = {
      path,
      resourceVersion: '5',
      seconds: 300,
      signal: new AbortController().signal,
      onOpen: () => {},
    };
    const ended = watch(client, {
      ...options,
      onEvent: (one) => {
        seen.push(one.resourceVersion);
        return seen.length === 1 ? promise : undefined;
      },
    });
    await expect.poll(() => seen).toEqual(['6']);
    await new Promise((done) => setTimeout(done, 20));
    expect(seen).toEqual(['6']);
    resolve();
    await ended;
    expect(seen).toEqual(['6', '7']);
  });
});

describe('a page of a list', () => {
  it('a list asks for 500 objects of the newest state, and continues where the last page ended', async () => {
    server.answer({ status: 200, body: { metadata: { resourceVersion: '9', continue: 'a b' }, items: [1] } });
    expect(await listPage(client, path)).toEqual({ kind: 'Page', items: [1], resourceVersion: '9', next: 'a b' });
    await listPage(client, path, { after: 'a b' });
    expect(server.asked.map((one) => one.path)).toEqual([`${path}?limit=500`, `${path}?limit=500&continue=a+b`]);
  });

  it('a page of a list may be empty', async () => {
    server.answer({ status: 200, body: { metadata: { resourceVersion: '9' }, items: null } });
    expect(await listPage(client, path)).toEqual({ kind: 'Page', items: [], resourceVersion: '9' });
  });

  it.each<[string, Answer, object]>([
    [
      'no list',
      { status: 200, body: { hello: 'world' } },
      { kind: 'RetryLater', why: expect.stringContaining('is no list') },
    ],
    ['a list without version', { status: 200, body: { metadata: {}, items: [] } }, { kind: 'RetryLater' }],
    ['text', { status: 200, body: 'ok' }, { kind: 'RetryLater' }],
    ['410, the continue token has expired', status(410, 'Expired', 'too old'), { kind: 'Expired' }],
    ['403', status(403, 'Forbidden', 'cannot list pods'), { kind: 'Refused' }],
    ['404', status(404, 'NotFound', 'not found'), { kind: 'NotServed' }],
    ['503', status(503, 'ServiceUnavailable', 'no'), { kind: 'RetryLater' }],
  ])('a list reports an answer that is no page: %s', async (_, answer, outcome) => {
    server.answer(answer);
    expect(await listPage(client, path)).toMatchObject(outcome);
  });
});
