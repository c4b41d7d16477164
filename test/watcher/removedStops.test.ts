// What the watcher tells of EvictionStops whose kind the API server does not serve any more.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiAnswer, ApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { followStops } from '../../lib/watcher/followStops.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const groupVersion = 'sluice.dev/v1alpha1';
const answer = (body: object): ApiAnswer => ({ kind: 'Answer', status: 200, body: body as Record<string, unknown> });
const gone: ApiAnswer = { kind: 'Answer', status: 404, body: {}, text: '404 page not found\n' };

/** A server with one stop; a watch lasts until it is ended. */
function follow(isServed: boolean) {
  const server = { isServed, endWatch: () => {} };
  const discovery = answer({ kind: 'APIResourceList', groupVersion, resources: [{ name: 'evictionstops' }] });
  const list = answer({ metadata: { resourceVersion: '7' }, items: [{ metadata: { name: 'incident' } }] });
  const client: ApiClient = {
    async send({ path }) {
      if (!server.isServed) return gone;
      return path.includes('evictionstops') ? list : discovery;
    },
    open: () =>
      new Promise((resolve) => {
        server.endWatch = () => resolve({ kind: 'Answer', status: 410, body: {} });
      }),
    close: () => {},
  };
  const stopped = new AbortController();
  const stops = followStops({ client, clock: Date, signal: stopped.signal });
  const told = () => (stops.isKnown() && stops.problem() === undefined ? stops.objects().length : undefined);
  return { server, stops, told, stop: () => stopped.abort() };
}

async function followOne() {
  const { server, stops, told, stop } = follow(true);
  await stops.known;
  await vi.advanceTimersByTimeAsync(10);
  expect(told()).toBe(1);
  const unserve = async () => {
    server.isServed = false;
    server.endWatch();
    await vi.advanceTimersByTimeAsync(5000);
  };
  return { server, told, unserve, stop };
}

describe('EvictionStops that are not served any more', () => {
  it('stops are unknown to the watcher after one answer that their kind is not served, and gone after the second', async () => {
    const { told, unserve, stop } = await followOne();
    await unserve();
    expect(told()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told()).toBe(0);
    stop();
  });

  it('stops are known again to the watcher when their kind is served again a minute later', async () => {
    const { server, told, unserve, stop } = await followOne();
    await unserve();
    server.isServed = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told()).toBe(1);
    stop();
  });

  it('a watcher that starts while the kind is for once not served knows of no end of a stop', async () => {
    const { server, told, stop } = follow(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(told()).toBeUndefined();
    server.isServed = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(told()).toBe(1);
    stop();
  });

  it('a watcher knows two seconds after its start that a cluster without the kind has no stop', async () => {
    const { told, stop } = follow(false);
    await vi.advanceTimersByTimeAsync(2000);
    expect(told()).toBe(0);
    stop();
  });
});
