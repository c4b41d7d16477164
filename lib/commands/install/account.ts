// Reads the AWS account before any change: identity, quotas, CDK bootstrap, the stack and EKS clusters.
import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { type Cluster, DescribeAddonCommand, DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { GetOpenIDConnectProviderCommand, IAMClient } from '@aws-sdk/client-iam';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { Found } from '../../doctor/facts.ts';
import { found } from '../../doctor/found.ts';
import { releaseOutput } from '../../outputs.ts';
import { blockOf, isUncreated } from './failedStack.ts';

export interface EksFacts {
  readonly version: string;
  readonly status: string;
  readonly endpoint: string;
  /** PEM text. */
  readonly certificateAuthority: string;
  readonly hasPublicEndpoint: boolean;
  readonly vpc: string;
  readonly subnets: readonly string[];
  /** `API`, `API_AND_CONFIG_MAP` or `CONFIG_MAP`. */
  readonly authenticationMode: string;
  readonly issuer: string;
  /** Whether the add-on eks-pod-identity-agent is installed. */
  readonly hasPodIdentity: boolean;
  /** Whether IAM has an OIDC provider for the issuer. */
  readonly hasOidcProvider: boolean;
}

export interface AccountFacts {
  readonly region: string;
  /** Account id. */
  readonly account: Found<string>;
  /** Unreserved concurrent executions of Lambda. */
  readonly concurrency: Found<number>;
  readonly isBootstrapped: boolean;
  /** Release of the stack; absent if there is no stack, empty if its outputs do not name the release. */
  readonly deployed?: string;
  /** Status of a stack that exists, and whose creation has not succeeded: then `deployed` is absent. */
  readonly uncreated?: string;
  /** Why the stack cannot be deployed now, and what to do first. */
  readonly blocked?: { readonly why: string; readonly remedy: string };
  /** Why CloudFormation could not be asked for the stack: then it is unknown whether there is one. */
  readonly unread?: string;
}

export async function readAccount(region: string, stackName: string): Promise<AccountFacts> {
  const sts = new STSClient({ region });
  const lambda = new LambdaClient({ region });
  const [account, concurrency, toolkit, stack] = await Promise.all([
    found(async () => (await sts.send(new GetCallerIdentityCommand({}))).Account ?? ''),
    found(
      async () =>
        (await lambda.send(new GetAccountSettingsCommand({}))).AccountLimit?.UnreservedConcurrentExecutions ?? 0,
    ),
    describeStack(region, 'CDKToolkit'),
    describeStack(region, stackName),
  ]);
  const status = (stack.kind === 'Found' && stack.value?.StackStatus) || '';
  const blocked = blockOf({ stack: stackName, region, status });
  const facts = { region, account, concurrency, ...(blocked === undefined ? {} : { blocked }) };
  if (stack.kind === 'Missing') return { ...facts, isBootstrapped: false, unread: stack.why };
  if (toolkit.kind === 'Missing') return { ...facts, isBootstrapped: false, unread: toolkit.why };
  if (isUncreated(status)) return { ...facts, isBootstrapped: toolkit.value !== undefined, uncreated: status };
  const deployed = stack.value?.Outputs?.find(({ OutputKey }) => OutputKey === releaseOutput)?.OutputValue ?? '';
  const isBootstrapped = toolkit.value !== undefined;
  return { ...facts, isBootstrapped, ...(stack.value ? { deployed } : {}) };
}

/** `undefined` if there is no such stack. */
function describeStack(region: string, StackName: string): Promise<Found<Stack | undefined>> {
  const client = new CloudFormationClient({ region, maxAttempts: 2 });
  return found(async () => {
    const [stack] = await client.send(new DescribeStacksCommand({ StackName })).then(
      ({ Stacks = [] }) => Stacks,
      (error: unknown) => {
        // CloudFormation has no specific error for a missing stack.
        if (error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(error.message))
          return [];
        throw error;
      },
    );
    return stack?.StackStatus === 'REVIEW_IN_PROGRESS' ? undefined : stack;
  });
}

export function readEks(region: string, name: string): Promise<Found<EksFacts>> {
  const eks = new EKSClient({ region, maxAttempts: 2 });
  return found(async () => {
    const { cluster } = await eks.send(new DescribeClusterCommand({ name }));
    const issuer = cluster?.identity?.oidc?.issuer ?? '';
    const [addon, provider] = await Promise.all([
      found(() => eks.send(new DescribeAddonCommand({ clusterName: name, addonName: 'eks-pod-identity-agent' }))),
      found(() => readProvider(cluster, issuer)),
    ]);
    return {
      version: cluster?.version ?? 'unknown',
      status: cluster?.status ?? 'unknown',
      endpoint: cluster?.endpoint ?? '',
      certificateAuthority: Buffer.from(cluster?.certificateAuthority?.data ?? '', 'base64').toString('utf8'),
      hasPublicEndpoint: cluster?.resourcesVpcConfig?.endpointPublicAccess !== false,
      vpc: cluster?.resourcesVpcConfig?.vpcId ?? '',
      subnets: cluster?.resourcesVpcConfig?.subnetIds ?? [],
      authenticationMode: cluster?.accessConfig?.authenticationMode ?? 'CONFIG_MAP',
      issuer,
      hasPodIdentity: addon.kind === 'Found',
      hasOidcProvider: provider.kind === 'Found',
    };
  });
}

async function readProvider(cluster: Cluster | undefined, issuer: string): Promise<void> {
  const [, partition, , region = '', account] = (cluster?.arn ?? '').split(':');
  const arn = `arn:${partition}:iam::${account}:oidc-provider/${issuer.replace(/^https:\/\//, '')}`;
  await new IAMClient({ region }).send(new GetOpenIDConnectProviderCommand({ OpenIDConnectProviderArn: arn }));
}
