// Whether the API server of a kubeconfig answers, before anything is started for it.
import { createApiClient } from '../adapters/kubernetes/apiClient.ts';
import { credentialsFromFile } from '../adapters/kubernetes/credentials.ts';
import type { ClusterConnection } from '../contract.ts';
import { openKubeconfig } from './kubeconfig.ts';

/** Milliseconds; the whole start of a run against a dead server ends within five seconds. */
const timeout = 2500;

/** Throws where it does not answer, or refuses the credentials. */
export async function checkServer(kubeconfig: string): Promise<void> {
  const { connection, stop } = await openKubeconfig(kubeconfig);
  await askServer(connection, kubeconfig).finally(stop);
}

async function askServer(connection: ClusterConnection, kubeconfig: string): Promise<void> {
  if (connection.auth.kind !== 'file') return;
  const client = createApiClient(connection, credentialsFromFile(connection.auth.path));
  const answer = await client.send({ method: 'GET', path: '/version', subject: 'version', timeout });
  client.close();
  const remedy = `try "kubectl --kubeconfig ${kubeconfig} version"`;
  if (answer.kind === 'Failed')
    throw new Error(
      `API server ${connection.endpoint} of kubeconfig ${kubeconfig} does not answer: ${answer.why}; ${remedy}`,
    );
  if (answer.status === 401)
    throw new Error(`API server ${connection.endpoint} refuses the credentials of kubeconfig ${kubeconfig}; ${remedy}`);
}
