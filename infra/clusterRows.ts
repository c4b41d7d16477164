// Which rows of the state table the process in an outbound cluster may use: that cluster's own, and what pauses it for reading.
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { grantKey, tableActions } from './grants.ts';

/** Partition keys. Names of clusters hold only letters, digits and dashes (checks.ts), so none is a pattern, or begins another's. */
export function partitionsOf(cluster: string): { readonly own: string; readonly pauses: readonly string[] } {
  return { own: `${cluster}#*`, pauses: [`${cluster}#PAUSE`, '*#PAUSE'] };
}

const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
const leadingKeys = 'dynamodb:LeadingKeys';
/** A request without partition keys, as a Scan is, would pass a condition on all of its keys. */
const hasKeys = { Null: { [leadingKeys]: 'false' } };

/**
 * The actions of evict and report under a condition on partition keys. AWS authorises each item of a transaction or a batch as the
 * action on that item. Pauses are people's: `*#PAUSE` is compared as it stands, and the cluster's own, which begins as all its rows
 * do, is denied for writing.
 */
export function grantRowsOf(
  cluster: string,
  by: { readonly table: TableV2; readonly grantee: IGrantable; readonly key: IKey | undefined },
): void {
  const { own, pauses } = partitionsOf(cluster);
  const resources = [by.table.tableArn];
  const actions = [...new Set([...tableActions.evict, ...tableActions.report])].map((action) => `dynamodb:${action}`);
  const writes = actions.filter((action) => !reads.includes(action));
  const statements = [
    { actions, conditions: { 'ForAllValues:StringLike': { [leadingKeys]: [own] }, ...hasKeys } },
    { actions: reads, conditions: { 'ForAllValues:StringEquals': { [leadingKeys]: [...pauses] }, ...hasKeys } },
    {
      effect: Effect.DENY,
      actions: writes,
      conditions: { 'ForAnyValue:StringEquals': { [leadingKeys]: [...pauses] } },
    },
  ];
  for (const statement of statements)
    by.grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ resources, ...statement }));
  grantKey(by.key, by.grantee);
}
