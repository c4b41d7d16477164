// Finds clusters, queues, tables and EKS access entries of the deployed template that a new template removes.
import { at } from './at.ts';
import { connectionsOf } from './importClusters.ts';
import { readTemplate, type Template, textOr, textsIn } from './template.ts';

export interface Removal {
  readonly kind: 'Cluster' | 'Queue' | 'Table' | 'AccessEntry';
  /** Name that `allowRemoval` must contain. */
  readonly name: string;
}

/** Does not list queues and access entries of removed clusters separately. Throws if an argument is not a template. */
export function removalsBetween(deployed: unknown, next: unknown, stackName: string): readonly Removal[] {
  const template = readTemplate(deployed);
  const before = partsOf(template, stackName);
  const after = partsOf(readTemplate(next), stackName);
  const removed = before.filter(({ kind, name }) => !after.some((one) => one.kind === kind && one.name === name));
  const clusters = removed.filter(({ kind }) => kind === 'Cluster').map(({ name }) => name);
  // <stack>-<stage>-<cluster>; a stage has no dash, and a cluster's name may end like another's.
  const clusterOf = (queue: string) => /^[^-]+-(.+?)(?:_dead)?$/.exec(queue.slice(`${stackName}-`.length))?.[1] ?? '';
  const connections = connectionsOf(template) ?? {};
  const eksOf = (names: readonly string[]) => names.map((name) => at(connections[name], 'auth', 'clusterName'));
  const gone = eksOf(clusters);
  // Two clusters of the configuration may be one in EKS, and share its access entries.
  const staying = eksOf(Object.keys(connections).filter((name) => !clusters.includes(name)));
  return removed.filter(({ kind, name }) => {
    if (kind === 'Queue') return !clusters.includes(clusterOf(name));
    const [eks] = name.split('/');
    return kind !== 'AccessEntry' || !gone.includes(eks) || staying.includes(eks);
  });
}

function partsOf({ resources }: Template, stackName: string): readonly Removal[] {
  return resources.flatMap(({ id, type, properties }): readonly Removal[] => {
    switch (type) {
      case 'AWS::DynamoDB::Table':
      case 'AWS::DynamoDB::GlobalTable':
        return [{ kind: 'Table', name: id }];
      case 'AWS::SQS::Queue':
        return queueParts(textOr(properties.QueueName, id), stackName);
      case 'AWS::EKS::AccessEntry': {
        const [group = id] = textsIn(properties.KubernetesGroups);
        return [{ kind: 'AccessEntry', name: `${textOr(properties.ClusterName, '')}/${group}` }];
      }
      default:
        return [];
    }
  });
}

/** An ingest queue also stands for its cluster. */
function queueParts(queue: string, stackName: string): readonly Removal[] {
  const ingest = `${stackName}-ingest-`;
  const isIngest = queue.startsWith(ingest) && !queue.endsWith('_dead');
  return [
    { kind: 'Queue', name: queue },
    ...(isIngest ? [{ kind: 'Cluster', name: queue.slice(ingest.length) } as const] : []),
  ];
}
