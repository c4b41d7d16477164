// Finds contradictions between values of a configuration.
import { X509Certificate } from 'node:crypto';
import { longNames, nameProblems } from './clusterNames.ts';
import type { Problem } from './problem.ts';
import type { Config } from './schema.ts';

type Cluster = Config['clusters'][number];

/** Account and region of the stack; absent if known only at deployment. */
export interface Place {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

/** The parts shared by the construct and sluice.yaml. */
export type Checked = Pick<Config, 'clusters' | 'settings' | 'limits'>;

export function contradictionsIn(checked: Checked, place: Place): readonly Problem[] {
  return [
    ...checked.clusters.flatMap((cluster, i) =>
      [...clusterProblems(cluster), ...placeProblems(cluster, place)].map(({ path, text }) => ({
        path: ['clusters', i, ...path],
        text,
      })),
    ),
    ...nameProblems(checked.clusters),
    ...limitProblems(checked.limits ?? {}),
    ...settingProblems(checked.settings ?? {}),
  ];
}

/** Contradictions in the parts that only sluice.yaml has. */
export function fileContradictionsIn({
  stack = {},
  removal = {},
  alarms = {},
  encryption,
  clusters,
}: Config): readonly Problem[] {
  const protectedTable = removal.policy === 'destroy' && removal.deletionProtection === true;
  return [
    ...(protectedTable
      ? [
          {
            path: ['removal', 'deletionProtection'],
            text: 'a protected table cannot be destroyed: leave it out, or set removal.policy to retain',
          },
        ]
      : []),
    ...clusters.flatMap(({ endpoint, auth, certificateAuthority }, i): readonly Problem[] => {
      if (endpoint !== undefined) return [];
      if (auth.kind !== 'eks')
        return [
          {
            path: ['clusters', i],
            text: 'endpoint is missing: only that of an EKS cluster (auth.kind: eks) can be looked up',
          },
        ];
      return certificateAuthority === undefined
        ? []
        : [
            {
              path: ['clusters', i, 'certificateAuthority'],
              text: 'it is read from EKS together with the endpoint: set both or none',
            },
          ];
    }),
    ...longNames(clusters, stack.name),
    ...(alarms.topics ?? []).flatMap((topic, i) => regionProblem(['alarms', 'topics', i], topic, stack)),
    ...(encryption ? regionProblem(['encryption', 'keyArn'], encryption.keyArn, stack) : []),
  ];
}

/** Topics of alarms and keys of tables must be in the stack's region. */
function regionProblem(path: Problem['path'], arn: string, { region }: Place): readonly Problem[] {
  const own = arn.split(':')[3];
  if (region === undefined || own === region) return [];
  return [{ path, text: `"${arn}" is in ${own}, the stack in ${region}: name one in ${region}` }];
}

function clusterProblems(cluster: Cluster): readonly Problem[] {
  const { auth, certificateAuthority, executorRoleArn, accessEntry, workloadIdentity } = cluster;
  const given = (['watcherRoleArn', 'executorRoleArn'] as const).filter((key) => cluster[key] !== undefined);
  return [
    ...(workloadIdentity === undefined ? [] : given).map((key) => ({
      path: [key],
      text: 'workloadIdentity makes that role: leave one of them out',
    })),
    ...(workloadIdentity?.kind === 'podIdentity' &&
    auth.kind === 'eks' &&
    workloadIdentity.clusterName !== auth.clusterName
      ? [
          {
            path: ['workloadIdentity', 'clusterName'],
            text: `it is "${workloadIdentity.clusterName}", and auth.clusterName is "${auth.clusterName}": name the same EKS cluster`,
          },
        ]
      : []),
    ...(certificateAuthority === undefined ? [] : authorityProblems(certificateAuthority)),
    ...(executorRoleArn !== undefined && auth.kind !== 'outbound'
      ? [
          {
            path: ['executorRoleArn'],
            text: 'the executor is for auth.kind: outbound: set that, or leave executorRoleArn out',
          },
        ]
      : []),
    ...(accessEntry && auth.kind !== 'eks'
      ? [{ path: ['accessEntry'], text: 'access entries are for auth.kind: eks: set that, or leave accessEntry out' }]
      : []),
  ];
}

/** Checks each certificate of the bundle, which has old and new ones while a cluster rotates its CA. */
function authorityProblems(pem: string): readonly Problem[] {
  const path = ['certificateAuthority'];
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    return [{ path, text: 'it must be PEM; kubeconfigs and EKS have it in base64, decode that first' }];
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [''];
  return blocks.flatMap((block, i) => {
    try {
      new X509Certificate(block);
      return [];
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return [
        { path, text: `certificate ${i + 1} cannot be read (${why}): copy it again from the kubeconfig, decoded` },
      ];
    }
  });
}

function placeProblems(
  { executorRoleArn, accessEntry, endpoint }: Cluster,
  { account, region }: Place,
): readonly Problem[] {
  const roleAccount = executorRoleArn?.split(':')[4] ?? '';
  const endpointRegion = /\.([a-z0-9-]+)\.eks\.amazonaws\.com/.exec(endpoint ?? '')?.[1];
  return [
    ...(account !== undefined && roleAccount !== '' && roleAccount !== account
      ? [
          {
            path: ['executorRoleArn'],
            text: `"${executorRoleArn}" is of account ${roleAccount}, the stack of ${account}: name a role of account ${account}`,
          },
        ]
      : []),
    ...(accessEntry && region !== undefined && endpointRegion !== undefined && endpointRegion !== region
      ? [
          {
            path: ['endpoint'],
            text: `"${endpoint}" is in ${endpointRegion}, the stack in ${region}: deploy a stack in ${endpointRegion}, or leave accessEntry out and make the entry by hand`,
          },
        ]
      : []),
  ];
}

function limitProblems({
  visibilityTimeout,
  maxReceiveCount: _,
  ...stages
}: NonNullable<Config['limits']>): readonly Problem[] {
  if (visibilityTimeout === undefined) return [];
  return Object.entries(stages as Record<string, { timeout?: number } | undefined>).flatMap(([stage, limits]) => {
    const timeout = limits?.timeout;
    if (timeout === undefined || timeout <= visibilityTimeout) return [];
    return [
      {
        path: ['limits', stage, 'timeout'],
        text: `it is ${timeout} s, and messages are delivered again after ${visibilityTimeout} s (limits.visibilityTimeout): AWS refuses that`,
      },
    ];
  });
}

function settingProblems({ projectRules, projection }: NonNullable<Config['settings']>): readonly Problem[] {
  if (projectRules !== false || projection === undefined) return [];
  return [
    {
      path: ['settings', 'projection'],
      text: 'it has no effect while settings.projectRules is false: leave one of them out',
    },
  ];
}
