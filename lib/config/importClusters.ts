// Clusters of a deployed stack, from the environment of its functions and from its grants.
import { environmentNames as names } from '../contract.ts';
import { executorRoleOutput, watcherRoleOutput } from '../outputs.ts';
import { at } from './at.ts';
import { referredId, type Template, textOr } from './template.ts';
import { type Functions, functionsOf, jsonIn } from './templateFunctions.ts';

export interface ImportedClusters {
  readonly clusters: readonly unknown[];
  readonly notes: readonly string[];
}

type Connections = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** By name of the cluster. Evict has the CAs, unless these are in a file of its bundle because of their size; the sweep has everything else. */
export function connectionsOf(template: Template, { evict, sweep } = functionsOf(template)): Connections | undefined {
  return connectionsIn(jsonIn(evict, names.clusters)) ?? connectionsIn(jsonIn(sweep, names.clusters));
}

export function importClusters(template: Template, functions: Functions, stackName: string): ImportedClusters {
  const withAuthorities = connectionsIn(jsonIn(functions.evict, names.clusters));
  const connections = connectionsOf(template, functions);
  const queues = ingestQueues(template, stackName);
  // One EKS cluster may be entered under several names; the entries are made once.
  const entered = new Set<unknown>();
  const clusters = [...queues].map(([name, queueId]) => {
    const { native, ...connection } = connections?.[name] ?? {};
    const eksName = at(connection, 'auth', 'clusterName');
    const isFirst = eksName !== undefined && !entered.has(eksName);
    entered.add(eksName);
    return {
      name,
      ...connection,
      ...(native === undefined || native === 'own' ? {} : { native }),
      ...rolesOf(template, { name, queueId }),
      ...identityOf(template, name),
      ...(isFirst && hasAccessEntry(template, eksName) ? { accessEntry: true } : {}),
    };
  });
  return {
    clusters,
    notes: connections === undefined ? [withoutConnections] : withAuthorities ? [] : [withoutAuthorities],
  };
}

const withoutAuthorities =
  'The certificate authorities of the clusters are not in the template: add certificateAuthority to each that needs one.';
const withoutConnections =
  'The connections of the clusters are not in the template: add endpoint, certificateAuthority and auth to each.';

function connectionsIn(value: unknown): Connections | undefined {
  return typeof value === 'object' && value !== null ? (value as Connections) : undefined;
}

/** Logical id of the ingest queue by cluster. */
function ingestQueues({ resources }: Template, stackName: string): ReadonlyMap<string, string> {
  const prefix = `${stackName}-ingest-`;
  const queues = resources.filter(({ type }) => type === 'AWS::SQS::Queue');
  return new Map(
    queues.flatMap(({ id, properties }) => {
      const name = textOr(properties.QueueName, '');
      return name.startsWith(prefix) && !name.endsWith('_dead') ? [[name.slice(prefix.length), id] as const] : [];
    }),
  );
}

function rolesOf({ resources, outputs }: Template, { name, queueId }: { name: string; queueId: string }) {
  const statements = resources
    .filter(
      ({ type, properties }) => type === 'AWS::SQS::QueuePolicy' && referredId(at(properties.Queues, 0)) === queueId,
    )
    .flatMap(({ properties }) => at(properties, 'PolicyDocument', 'Statement') as readonly unknown[]);
  const sender = statements.find((one) => at(one, 'Action') === 'sqs:SendMessage' && at(one, 'Effect') === 'Allow');
  const watcherRoleArn = textOr(at(sender, 'Principal', 'AWS'), undefined);
  const executorRoleArn = textOr(outputs[executorRoleOutput(name)], undefined);
  return {
    ...(watcherRoleArn === undefined ? {} : { watcherRoleArn }),
    ...(executorRoleArn === undefined ? {} : { executorRoleArn }),
  };
}

/** Workload identity from the trust policy of the watcher's role, if the stack made that role. */
function identityOf({ resources, outputs }: Template, cluster: string) {
  const id = referredId(outputs[watcherRoleOutput(cluster)]);
  const role = resources.find((one) => one.type === 'AWS::IAM::Role' && one.id === id);
  const conditions = at(role?.properties, 'AssumeRolePolicyDocument', 'Statement', 0, 'Condition', 'StringEquals');
  const clusterName = at(conditions, 'aws:RequestTag/eks-cluster-name');
  if (clusterName !== undefined) return { workloadIdentity: { kind: 'podIdentity', clusterName } };
  const subject = Object.keys(conditions ?? {}).find((key) => key.endsWith(':sub'));
  if (subject === undefined) return {};
  return { workloadIdentity: { kind: 'irsa', issuer: `https://${subject.slice(0, -':sub'.length)}` } };
}

function hasAccessEntry({ resources }: Template, eksName: unknown): boolean {
  return resources.some(
    ({ type, properties }) => type === 'AWS::EKS::AccessEntry' && properties.ClusterName === eksName,
  );
}
