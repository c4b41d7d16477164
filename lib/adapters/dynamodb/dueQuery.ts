// One page of the due index, which has the keys of rows and no more of them.
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dueIndex } from '../../contract.ts';
import type { DuePage, DueRange, DueRow } from '../../table.ts';

const names = { '#due': dueIndex.partition, '#at': dueIndex.time } as const;

/** Eventually consistent, as every read of a global index is (DynamoDB). */
export async function queryDuePage(
  client: DynamoDBDocumentClient,
  tableName: string,
  { pk, upTo, limit, after }: DueRange,
): Promise<DuePage> {
  const answer = await client.send(
    new QueryCommand({
      TableName: tableName,
      IndexName: dueIndex.name,
      KeyConditionExpression: '#due = :due AND #at <= :upTo',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: { ':due': pk, ':upTo': upTo },
      Limit: limit,
      ExclusiveStartKey: after && {
        pk: after.pk,
        sk: after.sk,
        [dueIndex.partition]: pk,
        [dueIndex.time]: after.dueAt,
      },
    }),
  );
  const rows = (answer.Items ?? []).map(dueRowOf);
  return answer.LastEvaluatedKey ? { rows, next: dueRowOf(answer.LastEvaluatedKey) } : { rows };
}

function dueRowOf(item: Record<string, unknown>): DueRow {
  return { pk: item.pk as string, sk: item.sk as string, dueAt: item[dueIndex.time] as number };
}
