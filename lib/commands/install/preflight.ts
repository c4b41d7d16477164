// Checks before an installation changes anything; returns findings like those of `sluice doctor`.
import type { Config } from '../../config/schema.ts';
import { quotasOf } from '../../cost/quotas.ts';
import { awsRemedy, login } from '../../doctor/awsRemedy.ts';
import { checkServer } from '../../doctor/checkCluster.ts';
import { oldestMinor } from '../../doctor/checkClusterFacts.ts';
import { checkTaints } from '../../doctor/checkTaints.ts';
import type { Found } from '../../doctor/facts.ts';
import { type Finding, ok, problem, warning } from '../../doctor/finding.ts';
import { withConnection } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { type AccountFacts, type EksFacts, readEks } from './account.ts';
import { eachCluster, namedCall } from './apply.ts';
import { checkHelm, helmRemedy } from './chart.ts';
import { eksNameOf } from './kubeconfig.ts';
import { type FleetSize, fleetSizeOf } from './outlook.ts';
import type { Target } from './target.ts';
import { runTool } from './tool.ts';

type Cluster = Config['clusters'][number];

export interface Before {
  readonly findings: readonly Finding[];
  /** One per cluster. */
  readonly sizes: readonly FleetSize[];
}

/** Stops after a problem with tools, account or EKS, because later checks depend on them. */
export async function examineBefore(call: Call, target: Target): Promise<Before> {
  const { config, region, account } = target;
  const findings = [...(await checkTools(call.io)), ...checkAccount(account, config)];
  const isBlocked = () => findings.some(({ kind }) => kind === 'Problem');
  if (isBlocked()) return { findings, sizes: [] };
  for (const cluster of config.clusters) {
    const name = eksNameOf(cluster);
    if (name !== undefined) findings.push(...checkEks(name, cluster, await readEks(region, name), config));
  }
  const sizes: FleetSize[] = [];
  if (isBlocked()) return { findings, sizes };
  await eachCluster(call, target, (named, { name }) =>
    withConnection(namedCall(call, named), async ({ client, server }) => {
      findings.push(...(await checkServer({ name, client, endpoint: server })), await checkTaints({ name, client }));
      sizes.push(await fleetSizeOf(client));
    }),
  );
  return { findings, sizes };
}

const nodeRemedy = 'install Node 22.19 or later';

/** The app of the CDK runs with the Node in PATH, which may be another than that of this program. */
export function requireNode(version: string): string {
  const [major = 0, minor = 0] = version.trim().replace(/^v/, '').split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return version;
  throw new Error(`${version.trim()} in PATH is too old`);
}

async function checkTools(io: Call['io']): Promise<readonly Finding[]> {
  const tools = [
    {
      name: 'helm',
      ask: () => checkHelm(io),
      remedy: helmRemedy,
    },
    { name: 'npm', ask: () => runTool('npm', ['--version'], { io }), remedy: `${nodeRemedy} with npm` },
    { name: 'node', ask: async () => requireNode(await runTool('node', ['--version'], { io })), remedy: nodeRemedy },
  ];
  return Promise.all(
    tools.map(({ name, ask, remedy }) =>
      ask().then(
        (version) => ok(name, version.trim()),
        (error: Error) => problem(name, error.message, remedy),
      ),
    ),
  );
}

export function checkAccount(
  { account, region, concurrency, blocked, unread }: AccountFacts,
  config: Config,
): readonly Finding[] {
  if (account.kind === 'Missing') return [problem('AWS account', account.why, awsRemedy(account.why) ?? login)];
  const expected = config.stack?.account;
  if (expected !== undefined && expected !== account.value)
    return [
      problem(
        'AWS account',
        `the credentials belong to account ${account.value}, but sluice.yaml requires ${expected}`,
        'use credentials of that account, or correct stack.account',
      ),
    ];
  return [
    ok('AWS account', `${account.value} in ${region}`),
    ...(unread === undefined
      ? []
      : [problem('CloudFormation', unread, awsRemedy(unread) ?? 'grant cloudformation:DescribeStacks')]),
    ...(blocked === undefined ? [] : [problem('CloudFormation', blocked.why, blocked.remedy)]),
    checkConcurrency(concurrency, config),
  ];
}

function checkConcurrency(found: Found<number>, { clusters }: Config): Finding {
  const subject = 'Lambda quota';
  const one = { nodes: 1, devicesPerNode: 1, eventsPerSecond: 1, evictionsPerMonth: 1, rules: 0 };
  const fleet = { clusters: clusters.length, ...one };
  const needed = quotasOf(fleet).find(({ quota }) => quota.startsWith('Lambda'))?.needed ?? 0;
  const remedy = 'aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384';
  if (found.kind === 'Missing')
    return warning(subject, `cannot be read: ${found.why}`, 'grant lambda:GetAccountSettings');
  const text = `${found.value} unreserved concurrent executions; Sluice may use up to ${needed}`;
  return found.value < needed ? warning(subject, text, `${remedy} --desired-value 1000`) : ok(subject, text);
}

/** Checks a cluster for which `sluice.yaml` configures EKS. */
export function checkEks(name: string, cluster: Cluster, eks: Found<EksFacts>, config: Config): readonly Finding[] {
  const subject = `EKS cluster ${name}`;
  if (eks.kind === 'Missing')
    return [problem(subject, eks.why, 'correct the name, or grant eks:DescribeCluster: aws eks list-clusters')];
  const { value } = eks;
  const problems = [
    ...(value.status === 'ACTIVE'
      ? []
      : [problem(subject, `its status is ${value.status}`, 'wait until it is ACTIVE')]),
    ...(Number(value.version.split('.')[1]) >= oldestMinor
      ? []
      : [problem(subject, `version ${value.version} is older than 1.${oldestMinor}`, 'upgrade the cluster')]),
    ...(cluster.accessEntry && value.authenticationMode === 'CONFIG_MAP'
      ? [
          problem(
            subject,
            'its authentication mode CONFIG_MAP does not support access entries',
            `aws eks update-cluster-config --name ${name} --access-config authenticationMode=API_AND_CONFIG_MAP`,
          ),
        ]
      : []),
    ...checkNetwork(subject, cluster, value, config),
    ...checkIdentity(subject, cluster, value),
  ];
  return problems.length > 0 ? problems : [ok(subject, `version ${value.version}, ${value.authenticationMode}`)];
}

function checkNetwork(subject: string, { auth }: Cluster, eks: EksFacts, { network }: Config): readonly Finding[] {
  if (auth.kind !== 'eks') return [];
  if (!eks.hasPublicEndpoint && network === undefined)
    return [
      problem(
        subject,
        'its API server has only a private endpoint',
        `add to sluice.yaml: network: {vpc: ${eks.vpc}, subnets: [${eks.subnets.join(', ')}]}`,
      ),
    ];
  if (!eks.hasPublicEndpoint && network?.vpc !== eks.vpc)
    return [
      warning(subject, `it is in ${eks.vpc}, the functions in ${network?.vpc}`, 'peer the two, or use the same VPC'),
    ];
  return [];
}

function checkIdentity(subject: string, { workloadIdentity }: Cluster, eks: EksFacts): readonly Finding[] {
  if (workloadIdentity?.kind === 'podIdentity' && !eks.hasPodIdentity)
    return [
      problem(
        subject,
        'the add-on eks-pod-identity-agent is missing, so pods cannot assume their roles',
        `aws eks create-addon --cluster-name ${workloadIdentity.clusterName} --addon-name eks-pod-identity-agent`,
      ),
    ];
  if (workloadIdentity?.kind === 'irsa' && !eks.hasOidcProvider)
    return [
      problem(
        subject,
        `the account has no identity provider for ${workloadIdentity.issuer}`,
        `aws iam create-open-id-connect-provider --url ${workloadIdentity.issuer} --client-id-list sts.amazonaws.com`,
      ),
    ];
  return [];
}
