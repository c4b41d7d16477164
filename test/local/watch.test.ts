// What a watch of the simulated cluster sends after its timeout.
import { describe, expect, it } from 'vitest';
import { parseRequest } from '../../lib/local/cluster/request.ts';
import { builtInResources } from '../../lib/local/cluster/resources.ts';
import { createStore } from '../../lib/local/cluster/store.ts';
import { openWatch } from '../../lib/local/cluster/watch.ts';

describe('a watch after its timeout', () => {
  it('a watch sends no change that happens after its timeout', async () => {
    const store = createStore();
    const request = parseRequest('GET', '/api/v1/pods?watch=1&timeoutSeconds=0.01', builtInResources);
    if (request.kind !== 'Resource') throw new Error('pods are not served');
    const put = (name: string) => {
      const metadata = {
        name,
        namespace: 'default',
        uid: name,
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
      };
      const object = { apiVersion: 'v1', kind: 'Pod', metadata };
      store.put(request.resource, object);
    };
    const sent: string[] = [];
    const ended = Promise.withResolvers<void>();
    const sink = { write: (line: string) => sent.push(line), end: () => ended.resolve() };
    const keepsAlive = setInterval(() => {}, 1000);
    const watch = openWatch({ store, request, sink, bookmarkInterval: 60_000 });
    put('before');
    await ended.promise;
    clearInterval(keepsAlive);
    put('after');
    watch.stop();
    expect(sent.map((line) => JSON.parse(line).object.metadata.name)).toEqual(['before']);
  });
});
