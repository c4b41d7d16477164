// Requests for objects are answered from a list by name, and stay in the queue until they are answered.

import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import { pod, resourceSlice } from '../../lib/local/cluster/builders.ts';
import { type Cluster, startCluster } from '../../lib/local/cluster/cluster.ts';
import type { RequestedObject } from '../../lib/model/message.ts';
import type { Resending } from '../../lib/watcher/resend.ts';
import { tokenOf } from '../support/clusterUnderTest.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { eventually, type Followed, follow } from './follow.ts';

let cluster: Cluster;
let followed: Followed | undefined;
beforeEach(async () => {
  cluster = await startCluster({ claimController: false });
});
afterEach(async () => {
  await followed?.stop();
  followed = undefined;
  await cluster.close();
});

/** A queue with one message, which is received again until it is deleted. */
function aQueue(body: string) {
  const queue = { left: [body], received: 0 };
  const client = {
    async send(command: unknown) {
      if (command instanceof DeleteMessageCommand) queue.left = [];
      if (!(command instanceof ReceiveMessageCommand)) return {};
      queue.received++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { Messages: queue.left.map((Body) => ({ Body, ReceiptHandle: 'receipt' })) };
    },
  } as unknown as Resending['client'];
  return { queue, requests: { client, queueUrl: 'https://sqs.example.com/s-resend-c' } };
}

const asking = (...objects: RequestedObject[]) => aQueue(formatMessage({ cluster: `c@${liveIncarnation}`, objects }));

function start(requests: Pick<Resending, 'client' | 'queueUrl'>): Followed {
  const client = createApiClient({ endpoint: cluster.url, certificateAuthority: cluster.ca }, tokenOf(cluster.token));
  followed = follow(client, { requests });
  return followed;
}

describe('requests for objects', () => {
  it('a request is answered with the object, or with its absence at the version of the list', async () => {
    cluster.seed(pod({ name: 'here', namespace: 'default', node: 'n', claim: 'c' }));
    cluster.seed(resourceSlice({ name: 's', driver: 'gpu.example.com', node: 'n', devices: [{ name: 'g' }] }));
    const { queue, requests } = asking(
      { kind: 'Pod', key: 'default/here' },
      { kind: 'Pod', key: 'default/gone' },
      { kind: 'ResourceSlice', key: 'gpu.example.com|n|s' },
    );
    const of = start(requests);
    await eventually(() => expect(queue.left).toEqual([]));
    const absent = () => of.changes().find(({ type }) => type === 'Absent');
    await eventually(() => expect(absent()).toMatchObject({ kind: 'Pod', key: 'default/gone' }));
    expect(Number((absent() as { resourceVersion: string }).resourceVersion)).toBeGreaterThan(0);
    await eventually(() => expect(of.names('Upserted').filter((name) => name === 'here').length).toBeGreaterThan(0));
    await eventually(() => expect(of.names('Upserted')).toContain('s'));
  });

  it('a request stays in the queue while the API server fails', async () => {
    cluster.seed(pod({ name: 'here', namespace: 'default', node: 'n', claim: 'c' }));
    const { queue, requests } = asking({ kind: 'Pod', key: 'default/here' });
    const when = ({ request }: { request: { query: URLSearchParams } }) => request.query.has('fieldSelector');
    const restore = cluster.faults.add({ when, status: 500 } as Parameters<typeof cluster.faults.add>[0]);
    const of = start(requests);
    await eventually(() => expect(of.logged.join()).toMatch(/requests for objects are not answered/));
    expect(queue.left).toHaveLength(1);
    restore();
    await eventually(() => expect(queue.left).toEqual([]));
  });

  it('a request that cannot be read is logged and deleted', async () => {
    const { queue, requests } = aQueue('<xml/>');
    const of = start(requests);
    await eventually(() => expect(queue.left).toEqual([]));
    expect(of.logged).toContain('a request cannot be read');
  });
});
