// Provides a kubeconfig for a cluster of sluice.yaml: the one given as option, else a temporary one made with AWS credentials.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { STSClient } from '@aws-sdk/client-sts';
import { stringify } from 'yaml';
import { eksCredentials } from '../../adapters/kubernetes/eksCredentials.ts';
import type { Config } from '../../config/schema.ts';
import { isClusterNamed, kubeconfigOf } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { Failure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { readEks } from './account.ts';

type Cluster = Config['clusters'][number];

export interface NamedKubeconfig {
  readonly kubeconfig: string;
  readonly context?: string;
}

/** Name of the EKS cluster; absent if sluice.yaml does not configure EKS for it. */
export function eksNameOf({ auth, workloadIdentity }: Cluster): string | undefined {
  if (auth.kind === 'eks') return auth.clusterName;
  return workloadIdentity?.kind === 'podIdentity' ? workloadIdentity.clusterName : undefined;
}

/** A temporary kubeconfig has mode 0600, its token is valid for 15 minutes, and it is removed after `work`. */
export async function withKubeconfig<T>(
  call: Pick<Call, 'flags' | 'io'>,
  of: { readonly cluster: Cluster; readonly config: Config; readonly region: string },
  work: (named: NamedKubeconfig) => Promise<T>,
): Promise<T> {
  const { cluster, config, region } = of;
  const isNamed = isClusterNamed(call);
  const eksName = isNamed ? undefined : eksNameOf(cluster);
  if (eksName === undefined) {
    const kubeconfig = kubeconfigOf(call);
    if (kubeconfig === undefined)
      throw new Failure(
        `no kubeconfig found for cluster ${cluster.name}`,
        'specify --kubeconfig FILE or set KUBECONFIG; only EKS clusters in sluice.yaml need none',
      );
    const context = textFlag(call.flags, 'context') ?? (config.clusters.length > 1 ? cluster.name : undefined);
    return work({ kubeconfig, ...(context === undefined ? {} : { context }) });
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-kubeconfig-'));
  try {
    const kubeconfig = path.join(folder, 'config');
    writeFileSync(kubeconfig, await eksKubeconfig(region, eksName, call.io.now), { mode: 0o600 });
    return await work({ kubeconfig });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function eksKubeconfig(region: string, name: string, now: () => number): Promise<string> {
  const eks = await readEks(region, name);
  if (eks.kind === 'Missing') throw new Failure(`EKS cluster ${name} cannot be read: ${eks.why}`);
  const { accessKeyId, secretAccessKey, sessionToken } = await new STSClient({ region }).config.credentials();
  const role = {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken === undefined ? {} : { AWS_SESSION_TOKEN: sessionToken }),
  };
  const signed = await eksCredentials(name, role, now).get(false);
  if (signed.kind === 'Unavailable') throw new Failure(signed.why);
  const authority = Buffer.from(eks.value.certificateAuthority).toString('base64');
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: eks.value.endpoint, 'certificate-authority-data': authority } }],
    users: [{ name, user: { token: signed.credentials.token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });
}
