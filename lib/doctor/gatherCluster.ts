// Reads the facts of one cluster of an installation from AWS: heartbeat, EKS cluster and access entries.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeAccessEntryCommand, DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createDynamoDbTable } from '../adapters/dynamodb/dynamoDbTable.ts';
import type { ClusterConnection } from '../contract.ts';
import { executorRoleOutput } from '../outputs.ts';
import { currentState } from '../state/incarnationRows.ts';
import { readHeartbeat } from '../state/liveness.ts';
import { readRefused } from '../state/refusedRows.ts';
import type { ClusterFacts, ExecutorRole } from './facts.ts';
import { found } from './found.ts';

/** Stack outputs by name. */
export type Outputs = ReadonlyMap<string, string>;

export async function clusterFacts(
  {
    region,
    tableName,
    roles,
    outputs,
  }: {
    readonly region: string;
    readonly tableName: string | undefined;
    readonly roles: readonly string[];
    readonly outputs: Outputs;
  },
  name: string,
  { endpoint, certificateAuthority, auth }: ClusterConnection,
): Promise<ClusterFacts> {
  const table = createDynamoDbTable(DynamoDBDocumentClient.from(new DynamoDBClient({ region })), tableName ?? '');
  const heard = await found(async () => readHeartbeat(await currentState(table, name)));
  const refused = await found(async () => readRefused(await currentState(table, name)));
  const common = {
    name,
    endpoint,
    ...(heard.kind === 'Found' && heard.value !== undefined ? { heardAt: heard.value } : {}),
    ...(refused.kind === 'Found' ? { refused: refused.value } : {}),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
  if (auth.kind === 'outbound') {
    const arn = outputs.get(executorRoleOutput(name));
    const executor = arn === undefined ? {} : { role: await found(() => executorRole(region, arn)) };
    return { ...common, executor, withoutAccess: [] };
  }
  if (auth.kind !== 'eks') return { ...common, withoutAccess: [] };
  const eks = new EKSClient({ region });
  const cluster = await found(async () => {
    const { cluster: one } = await eks.send(new DescribeClusterCommand({ name: auth.clusterName }));
    const ca = Buffer.from(one?.certificateAuthority?.data ?? '', 'base64').toString();
    return { endpoint: one?.endpoint ?? '', certificateAuthority: ca, version: one?.version ?? 'unknown' };
  });
  const entries = await Promise.all(
    roles.map(async (principalArn) => ({
      principalArn,
      entry: await found(() =>
        eks.send(new DescribeAccessEntryCommand({ clusterName: auth.clusterName, principalArn })),
      ),
    })),
  );
  const without = entries.filter(({ entry }) => entry.kind === 'Missing' && entry.why.startsWith('ResourceNotFound'));
  return { ...common, eks: cluster, withoutAccess: without.map(({ principalArn }) => principalArn) };
}

async function executorRole(region: string, arn: string): Promise<ExecutorRole> {
  const RoleName = arn.split('/').at(-1);
  const { Role } = await new IAMClient({ region }).send(new GetRoleCommand({ RoleName }));
  return { arn, trust: decodeURIComponent(Role?.AssumeRolePolicyDocument ?? '') };
}
