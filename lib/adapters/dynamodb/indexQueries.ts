// Queries one page of the due index or of the head index: keys of rows, with few other attributes.
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { dueIndex, headIndex } from '../../contract.ts';
import type { DuePage, DueRange, DueRow, HeadPage, HeadRange, HeadRow } from '../../table.ts';

const names = { '#due': dueIndex.partition, '#at': dueIndex.time } as const;

/** Eventually consistent, like all reads of a global secondary index (DynamoDB). */
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

const headNames = { '#head': headIndex.partition, '#key': headIndex.sort } as const;

export async function queryHeadPage(
  client: DynamoDBDocumentClient,
  tableName: string,
  { pk, from, to, limit, after }: HeadRange,
): Promise<HeadPage> {
  const answer = await client.send(
    new QueryCommand({
      TableName: tableName,
      IndexName: headIndex.name,
      KeyConditionExpression: '#head = :head AND #key BETWEEN :from AND :to',
      ExpressionAttributeNames: headNames,
      ExpressionAttributeValues: { ':head': pk, ':from': from, ':to': to },
      Limit: limit,
      ExclusiveStartKey: after && {
        pk: after.pk,
        sk: after.sk,
        [headIndex.partition]: pk,
        [headIndex.sort]: after.headKey,
      },
    }),
  );
  const rows = (answer.Items ?? []).map(({ [headIndex.partition]: _, ...row }) => row as unknown as HeadRow);
  const last = rows.at(-1);
  return answer.LastEvaluatedKey && last ? { rows, next: last } : { rows };
}
