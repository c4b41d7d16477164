// Reads AWS::Lambda::Function: bundle, handler, timeout and environment.
import path from 'node:path';
import { z } from 'zod';
import { absent, parse, type Resource } from './resource.ts';

const functionProperties = z.object({
  Runtime: z.string().regex(/^nodejs/, { error: 'only Node.js functions are played' }),
  Handler: z.string().regex(/^[^.]+\.[^.]+$/, { error: 'a handler is "file.export"' }),
  Timeout: z.number().positive().default(3),
  MemorySize: z.number().default(128),
  Layers: absent('layers are not played'),
  Environment: z.object({ Variables: z.record(z.string(), z.unknown()).default({}) }).default({ Variables: {} }),
});
const functionMetadata = z.object({ 'aws:asset:path': z.string(), 'aws:cdk:path': z.string() });

export interface FunctionResource {
  readonly logicalId: string;
  /** `Ingest` for `Sluice/Sluice/Ingest/Function/Resource`. */
  readonly stage: string;
  readonly folder: string;
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMiB: number;
  /** With unresolved intrinsic functions. */
  readonly environment: Readonly<Record<string, unknown>>;
}

export function readFunction(logicalId: string, one: Resource, folder: string): FunctionResource {
  const properties = parse(logicalId, functionProperties, one.Properties);
  const metadata = parse(logicalId, functionMetadata, one.Metadata);
  return {
    logicalId,
    stage: metadata['aws:cdk:path'].split('/').at(-3) ?? logicalId,
    folder: path.resolve(folder, metadata['aws:asset:path']),
    handler: properties.Handler,
    timeoutSeconds: properties.Timeout,
    memoryMiB: properties.MemorySize,
    environment: properties.Environment.Variables,
  };
}
