// Checks that the API server of a kubeconfig answers, before anything is started.
import { createApiClient } from '../adapters/kubernetes/apiClient.ts';
import { askVersion } from '../adapters/kubernetes/askVersion.ts';
import { credentialsFromFile } from '../adapters/kubernetes/credentials.ts';
import type { ClusterConnection } from '../contract.ts';
import { openKubeconfig } from './kubeconfig.ts';

/** Throws if it does not answer or refuses the credentials. */
export async function checkServer(kubeconfig: string): Promise<void> {
  const { connection, stop } = await openKubeconfig(kubeconfig, { say: (text) => process.stderr.write(`${text}\n`) });
  await askServer(connection, kubeconfig).finally(stop);
}

async function askServer(connection: ClusterConnection, kubeconfig: string): Promise<void> {
  if (connection.auth.kind !== 'file') return;
  const client = createApiClient(connection, credentialsFromFile(connection.auth.path));
  const answer = await askVersion(client);
  client.close();
  const remedy = `try "kubectl --kubeconfig ${kubeconfig} version"`;
  if (answer.kind === 'Failed')
    throw new Error(
      `API server ${connection.endpoint} of kubeconfig ${kubeconfig} does not answer: ${answer.why}; ${remedy}`,
    );
  if (answer.status === 401)
    throw new Error(`API server ${connection.endpoint} refuses the credentials of kubeconfig ${kubeconfig}; ${remedy}`);
}
