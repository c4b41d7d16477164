// Which rows of the state table the process in an outbound cluster may use: that cluster's own, and for reading what people set.
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { grantKey, tableActions } from './grants.ts';

/** Partition keys. Names of clusters hold only letters, digits and dashes (checks.ts), so none is a pattern, or begins another's. */
export function partitionsOf(cluster: string): { readonly own: string; readonly people: readonly string[] } {
  return { own: `${cluster}@*`, people: [`PAUSE#${cluster}`, 'PAUSE', `MODES#${cluster}`] };
}

const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
const leadingKeys = 'dynamodb:LeadingKeys';
/** A request without partition keys, as a Scan is, would pass a condition on all of its keys. */
const hasKeys = { Null: { [leadingKeys]: 'false' } };

/**
 * The actions of evict and report under a condition on partition keys. AWS authorises each item of a transaction as the action on that
 * item, and a batch of reads once with the keys of all. What people set, pauses and modes, is read beside the cluster's own rows.
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
