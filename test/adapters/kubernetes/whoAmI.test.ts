// The caller's user name as the API server knows it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import { whoAmI } from '../../../lib/adapters/kubernetes/whoAmI.ts';
import { type Cluster, startCluster } from '../../../lib/local/cluster/cluster.ts';
import { tokenOf } from '../../support/clusterUnderTest.ts';

let cluster: Cluster;

beforeEach(async () => {
  cluster = await startCluster({ users: new Map([['of-jane', { name: 'jane@example.com', groups: [] }]]) });
});

afterEach(() => cluster.close());

async function askAs(token: string): Promise<string | undefined> {
  const { url: endpoint, ca: certificateAuthority } = cluster;
  const client = createApiClient({ endpoint, certificateAuthority }, tokenOf(token));
  const name = await whoAmI(client);
  client.close();
  return name;
}

it('the API server names the user of the credentials', async () => {
  expect(await askAs('of-jane')).toBe('jane@example.com');
});

it('no user is named with credentials that the API server refuses', async () => {
  expect(await askAs('wrong')).toBeUndefined();
});
