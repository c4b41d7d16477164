// What a new template of a stack no longer has of the deployed one: clusters, queues and tables, by name.
import { z } from 'zod';

export interface Removal {
  readonly kind: 'Cluster' | 'Queue' | 'Table';
  /** What `allowRemoval` has to name. */
  readonly name: string;
}

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).optional() }),
  ),
});
type Resources = z.infer<typeof templateSchema>['Resources'];

/** Without the queues of clusters that are removed as a whole. Throws where one of them is no template. */
export function removalsBetween(deployed: unknown, next: unknown, stackName: string): readonly Removal[] {
  const before = partsOf(resourcesOf(deployed), stackName);
  const after = partsOf(resourcesOf(next), stackName);
  const removed = before.filter(({ kind, name }) => !after.some((one) => one.kind === kind && one.name === name));
  const clusters = removed.filter(({ kind }) => kind === 'Cluster').map(({ name }) => name);
  const belongs = (queue: string) => clusters.some((cluster) => queue.replace(/_dead$/, '').endsWith(`-${cluster}`));
  return removed.filter(({ kind, name }) => kind !== 'Queue' || !belongs(name));
}

function partsOf(resources: Resources, stackName: string): readonly Removal[] {
  return Object.entries(resources).flatMap(([logicalId, { Type, Properties = {} }]): readonly Removal[] => {
    switch (Type) {
      case 'AWS::DynamoDB::Table':
      case 'AWS::DynamoDB::GlobalTable':
        return [{ kind: 'Table', name: logicalId }];
      case 'AWS::SQS::Queue':
        return queueParts(typeof Properties.QueueName === 'string' ? Properties.QueueName : logicalId, stackName);
      default:
        return [];
    }
  });
}

/** A cluster is where its watcher sends to. */
function queueParts(queue: string, stackName: string): readonly Removal[] {
  const ingest = `${stackName}-ingest-`;
  const isIngest = queue.startsWith(ingest) && !queue.endsWith('_dead');
  return [
    { kind: 'Queue', name: queue },
    ...(isIngest ? [{ kind: 'Cluster', name: queue.slice(ingest.length) } as const] : []),
  ];
}

function resourcesOf(template: unknown): Resources {
  const parsed = templateSchema.safeParse(template);
  if (parsed.success) return parsed.data.Resources;
  throw new Error(`a CloudFormation template cannot be read: ${parsed.error.issues[0]?.message}`);
}
