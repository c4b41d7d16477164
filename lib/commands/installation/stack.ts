// Reads the CloudFormation stack of an installation: outputs, template, and the clusters configured in its functions.
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { isMissingStack, readDeployedTemplate } from '../../config/deployedTemplate.ts';
import type { ClusterConnection } from '../../contract.ts';
import { awsText } from '../../doctor/awsRemedy.ts';
import { clustersOf } from '../../doctor/environmentFacts.ts';
import { Failure } from '../failure.ts';
import { remedyIn } from './regionHelp.ts';

interface StackName {
  readonly stack: string;
  readonly region: string;
}

/** The account has no stack of that name. */
export class MissingStack extends Failure {}

export async function describeOutputs({ stack, region }: StackName): Promise<ReadonlyMap<string, string>> {
  const client = new CloudFormationClient({ region, maxAttempts: 2 });
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return new Map((Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  } catch (error) {
    const why = awsText(error);
    const unread = unreadStack({ stack, region }, why);
    throw isMissingStack(error, why) ? new MissingStack(unread.message, unread.help) : unread;
  } finally {
    client.destroy();
  }
}

/** The deployed template, parsed. Throws a Failure if it cannot be read. */
export async function readTemplate({ stack, region }: StackName): Promise<unknown> {
  const found = await readDeployedTemplate(stack, region);
  if (found.kind === 'Deployed') return found.template;
  throw unreadStack({ stack, region }, found.kind === 'Refused' ? found.why : 'it does not exist');
}

export function unreadStack({ stack, region }: StackName, why: string): Failure {
  const help = remedyIn(region, why) ?? 'see: aws cloudformation list-stacks';
  return new Failure(`stack ${stack} in ${region} cannot be read: ${why}`, help);
}

/** Connections by cluster name, from the environment of the evict function. */
export async function clustersOfStack(of: StackName): Promise<Readonly<Record<string, ClusterConnection>>> {
  const name = (await describeOutputs(of)).get('EvictFunctionName');
  if (name === undefined)
    throw new Failure(`stack ${of.stack} has no output EvictFunctionName; it is probably not a stack of Sluice`);
  const client = new LambdaClient({ region: of.region, maxAttempts: 2 });
  try {
    const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName: name }));
    const environment = Environment?.Variables ?? {};
    const { clusters, problem } = clustersOf([
      { output: 'EvictFunctionName', name, state: 'Active', environment, mappings: [] },
    ]);
    if (problem !== undefined) throw new Failure(problem, 'see: sluice doctor');
    return clusters;
  } finally {
    client.destroy();
  }
}
