// The table of a local installation held against the API server: whether the mirror is equal to the cluster.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { createApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import { findCluster } from '../../../lib/adapters/kubernetes/kubeConfig.ts';
import { listPage } from '../../../lib/adapters/kubernetes/listWatch.ts';
import { project } from '../../../lib/adapters/kubernetes/project.ts';
import { findServed, resources } from '../../../lib/adapters/kubernetes/servedVersion.ts';
import { localCredentials, localRegion } from '../../../lib/local/aws/account.ts';
import type { Installation } from '../../../lib/local/installation.ts';
import type { ObjectKind, ObjectProjection } from '../../../lib/model/projection.ts';
import type { Row } from '../../../lib/table.ts';
import { differencesOf } from '../../support/mirrorDifferences.ts';
import type { ControlPlane } from './controlPlane.ts';

type Place = Pick<ControlPlane, 'kubeconfig'>;

/** Of the incarnation that the installation takes for the cluster; nothing where they are equal. */
export async function differences(at: Place, installation: Installation): Promise<readonly string[]> {
  const [{ cluster }, rows, objects] = await Promise.all([
    installation.state(),
    readRows(installation),
    readObjects(at),
  ]);
  return differencesOf(rows, objects, cluster);
}

/** All objects of the kinds that Sluice keeps, as it reads them. */
export async function readObjects({ kubeconfig }: Place): Promise<readonly ObjectProjection[]> {
  const found = await findCluster({ KUBECONFIG: kubeconfig });
  if (found.kind !== 'Found') throw new Error(found.why);
  const { address, credentials, agent } = found.cluster;
  const client = createApiClient(address, credentials, agent ? { agent } : {});
  try {
    const kinds = Object.keys(resources) as readonly ObjectKind[];
    return (await Promise.all(kinds.map((kind) => readKind(client, kind)))).flat();
  } finally {
    client.close();
  }
}

async function readKind(client: Parameters<typeof listPage>[0], kind: ObjectKind) {
  const resource = resources[kind];
  const served = await findServed(client, resource);
  if (served.kind !== 'Served') throw new Error(`${resource.name}: ${served.kind}`);
  const page = await listPage(client, `${resource.group}/${served.version}/${resource.name}`);
  if (page.kind !== 'Page' || page.next !== undefined) throw new Error(`${resource.name}: no list in one page`);
  return page.items.map((item) => {
    const projected = project(kind, item);
    if (projected.kind !== 'Projected') throw new Error(projected.why);
    return projected.object;
  });
}

async function readRows({ aws }: Installation): Promise<readonly Row[]> {
  const client = new DynamoDBClient({
    region: localRegion,
    credentials: localCredentials,
    endpoint: aws.clientEnvironment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
  });
  const rows: Row[] = [];
  try {
    const pages = paginateScan({ client: DynamoDBDocumentClient.from(client) }, { TableName: aws.tableName });
    for await (const page of pages) rows.push(...((page.Items ?? []) as Row[]));
  } finally {
    client.destroy();
  }
  return rows;
}
