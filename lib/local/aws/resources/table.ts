// Reads AWS::DynamoDB::Table and GlobalTable: keys, indexes and the TTL attribute.
import { z } from 'zod';
import { parse, type Resource } from './resource.ts';

const key = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) })).min(1);
const projection = z.object({
  ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']).optional(),
  NonKeyAttributes: z.array(z.string()).optional(),
});
const index = z.object({ IndexName: z.string(), KeySchema: key, Projection: projection });
const tableProperties = z.object({
  TableName: z.string().optional(),
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: key,
  GlobalSecondaryIndexes: z.array(index).optional(),
  LocalSecondaryIndexes: z.array(index).optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
});

export interface TableResource extends Omit<z.infer<typeof tableProperties>, 'TableName'> {
  readonly logicalId: string;
  readonly name: string;
}

export function readTable(logicalId: string, { Properties }: Resource): TableResource {
  const { TableName, ...rest } = parse(logicalId, tableProperties, Properties);
  return { logicalId, name: TableName ?? logicalId, ...rest };
}
