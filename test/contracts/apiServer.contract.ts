// The contract of the Kubernetes API as far as Sluice relies on it; run against the simulated cluster and a real kube-apiserver.
import { afterAll, beforeAll, describe } from 'vitest';
import { namespace as namespaceManifest } from '../../lib/local/cluster/builders.ts';
import { applyContract } from './apiServerApply.ts';
import { claimContract } from './apiServerClaims.ts';
import { createContract } from './apiServerCreate.ts';
import { deletionContract } from './apiServerDeletion.ts';
import { discoveryContract } from './apiServerDiscovery.ts';
import { dryRunContract } from './apiServerDryRun.ts';
import { listContract } from './apiServerList.ts';
import { tableContract } from './apiServerTable.ts';
import { type ApiServerUnderTest, created, namespace } from './apiServerUnderTest.ts';
import { updateContract } from './apiServerUpdate.ts';
import { watchContract } from './apiServerWatch.ts';

export function apiServerContract(name: string, start: () => Promise<ApiServerUnderTest>): void {
  describe(`the Kubernetes API of ${name}`, () => {
    let running: ApiServerUnderTest | undefined;
    const server = () => {
      if (!running) throw new Error('the server is not up');
      return running;
    };
    beforeAll(async () => {
      running = await start();
      await created(running.client, '/api/v1/namespaces', namespaceManifest(namespace));
    });
    afterAll(() => running?.stop());

    discoveryContract(server);
    createContract(server);
    updateContract(server);
    applyContract(server);
    deletionContract(server);
    dryRunContract(server);
    listContract(server);
    tableContract(server);
    watchContract(server);
    claimContract(server);
  });
}
