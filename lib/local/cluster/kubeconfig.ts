// Formats a kubeconfig for one cluster with the CA inline, so that the file can be moved.
import { Buffer } from 'node:buffer';
import { stringify } from 'yaml';

export interface ClusterAccess {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

export function kubeconfigYaml(access: ClusterAccess): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'local',
        cluster: { server: access.url, 'certificate-authority-data': Buffer.from(access.ca).toString('base64') },
      },
    ],
    users: [{ name: 'local', user: { token: access.token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'local' } }],
    'current-context': 'local',
  });
}
