// Reads AWS::Lambda::EventSourceMapping of a queue, with AWS's limits.
import { z } from 'zod';
import { absent, arn, nameOrArn, parse, type Resource } from './resource.ts';

const mappingProperties = z
  .object({
    EventSourceArn: arn,
    FunctionName: nameOrArn,
    Enabled: z.boolean().default(true),
    BatchSize: z.number().int().min(1).max(10_000).default(10),
    MaximumBatchingWindowInSeconds: z.number().int().min(0).max(300).default(0),
    FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
    ScalingConfig: z.object({ MaximumConcurrency: z.number().int().min(2) }).optional(),
    FilterCriteria: absent('filters are not played'),
  })
  .refine((mapping) => mapping.BatchSize <= 10 || mapping.MaximumBatchingWindowInSeconds >= 1, {
    error: 'more than 10 in a batch need a batching window of at least 1 s; AWS refuses that',
  });

export interface EventSourceMappingResource {
  readonly logicalId: string;
  readonly queue: string;
  readonly function: string;
  readonly enabled: boolean;
  readonly batchSize: number;
  readonly windowSeconds: number;
  readonly reportsFailures: boolean;
  readonly maxConcurrency: number;
}

export function readMapping(logicalId: string, { Properties }: Resource): EventSourceMappingResource {
  const mapping = parse(logicalId, mappingProperties, Properties);
  return {
    logicalId,
    queue: mapping.EventSourceArn,
    function: mapping.FunctionName,
    enabled: mapping.Enabled,
    batchSize: mapping.BatchSize,
    windowSeconds: mapping.MaximumBatchingWindowInSeconds,
    reportsFailures: mapping.FunctionResponseTypes.length > 0,
    // Without MaximumConcurrency, a mapping scales to 1,250 (AWS Lambda quota).
    maxConcurrency: mapping.ScalingConfig?.MaximumConcurrency ?? 1250,
  };
}
