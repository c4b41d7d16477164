// Row-level access of an outbound cluster's executor to the state table: its cluster's rows, and read access to pauses and modes.
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { grantKey, tableActions } from './grants.ts';

/** Patterns of partition keys. Cluster names have only letters, digits and dashes (checks.ts), so none contains a wildcard or `@`. */
export function partitionsOf(cluster: string): { readonly own: string; readonly people: readonly string[] } {
  return { own: `${cluster}@*`, people: [`PAUSE#${cluster}`, 'PAUSE', `MODES#${cluster}`] };
}

const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
const leadingKeys = 'dynamodb:LeadingKeys';
/** Requires keys: a request without partition keys, such as Scan, would satisfy a condition on all of its keys. */
const hasKeys = { Null: { [leadingKeys]: 'false' } };

/**
 * Grants the actions of evict and report with a condition on partition keys. AWS authorises each item of a transaction as the action
 * on that item, and a batch of reads once with all keys. Pauses and modes are read along with the cluster's own rows.
 */
export function grantRowsOf(
  cluster: string,
  by: { readonly table: TableV2; readonly grantee: IGrantable; readonly key: IKey | undefined },
): void {
  const { own, people } = partitionsOf(cluster);
  const resources = [by.table.tableArn];
  const actions = [...new Set([...tableActions.evict, ...tableActions.report])].map((action) => `dynamodb:${action}`);
  const on = (...keys: string[]) => ({ 'ForAllValues:StringLike': { [leadingKeys]: keys }, ...hasKeys });
  const statements = [
    { actions, conditions: on(own) },
    { actions: reads, conditions: on(own, ...people) },
  ];
  for (const statement of statements)
    by.grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ resources, ...statement }));
  grantKey(by.key, by.grantee);
}
