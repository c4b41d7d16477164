// A watcher follows its cluster through incarnations: it lists each from the start, and every message names its incarnation.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { pod } from '../../lib/local/cluster/builders.ts';
import { createApiClient as createTestClient } from '../../lib/local/cluster/client.ts';
import { type Cluster, startCluster } from '../../lib/local/cluster/cluster.ts';
import { singleChanges } from '../../lib/model/change.ts';
import { followCluster } from '../../lib/watcher/followCluster.ts';
import { createOutbox } from '../../lib/watcher/outbox.ts';
import { tokenOf } from '../support/clusterUnderTest.ts';
import { createMemoryQueue, eventually } from './follow.ts';

const namespace = '/api/v1/namespaces/kube-system';
const clock = { now: Date.now, sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };

let cluster: Cluster;
let stop: () => Promise<void>;
beforeEach(async () => {
  cluster = await startCluster({ claimController: false });
});
afterEach(async () => {
  await stop();
  await cluster.close();
});

function start() {
  const client = createApiClient({ endpoint: cluster.url, certificateAuthority: cluster.ca }, tokenOf(cluster.token));
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const log = { info: say, warn: say, error: say };
  const queue = createMemoryQueue();
  const outbox = createOutbox({ client: queue.client, queueUrl: 'https://sqs.example.com/q', clock, log });
  const abort = new AbortController();
  const done = followCluster({ client, outbox, clock, log, signal: abort.signal, heartbeatInterval: 100 });
  stop = async () => {
    abort.abort();
    await done;
    client.close();
  };
  const sent = () =>
    queue.bodies.flatMap((body) => {
      const parsed = parseChange(body);
      if (parsed.kind !== 'Parsed') return [];
      const { incarnation, ...change } = parsed.value;
      return singleChanges(change).map((one) => ({ ...one, incarnation }));
    });
  const shown = (incarnation: string) =>
    sent().flatMap((one) => (one.type === 'Upserted' && one.incarnation === incarnation ? [one.object.name] : []));
  const beats = () => sent().filter(({ type }) => type === 'Heartbeat');
  return { said, sent, shown, beats };
}

async function annotate(value: string): Promise<void> {
  const client = createTestClient({ url: cluster.url, ca: cluster.ca, token: cluster.token, userAgent: 'test' });
  const body = { metadata: { annotations: { 'sluice.dev/incarnation': value } } };
  const { status } = await client.call('PATCH', namespace, { body, contentType: 'application/merge-patch+json' });
  expect(status).toBe(200);
  client.close();
}

describe('a change of incarnation', () => {
  it('a watcher lists all objects again under a new incarnation, and sends nothing more of the previous one', async () => {
    cluster.seed(pod({ name: 'there', namespace: 'default', node: 'n', claim: 'c' }));
    const { sent, shown, beats } = start();
    await eventually(() => expect(beats().length).toBeGreaterThan(0));
    const uid = beats()[0]?.incarnation ?? '';
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(shown(uid)).toContain('there');
    await annotate('restored-1');
    await eventually(() => expect(beats().at(-1)?.incarnation).toBe(`${uid}.restored-1`));
    expect(shown(`${uid}.restored-1`)).toContain('there');
    const last = sent().findLastIndex(({ incarnation }) => incarnation === uid);
    const first = sent().findIndex(({ incarnation }) => incarnation !== uid);
    expect(last).toBeLessThan(first);
  });

  it('a watcher sends no heartbeat while the incarnation cannot be read, and logs the remedy', async () => {
    const { said, beats } = start();
    await eventually(() => expect(beats().length).toBeGreaterThan(0));
    await annotate('not/readable');
    await eventually(() => expect(said.join()).toContain('kubectl annotate --overwrite namespace kube-system'));
    const before = beats().length;
    await clock.sleep(400);
    expect(beats().length).toBe(before);
  });
});
