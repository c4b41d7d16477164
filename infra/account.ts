// What synthesis asks the AWS account: the deployed template of the stack, and EKS clusters by their name.
import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import type { DescribeEks } from '../lib/config/connect.ts';
import type { DeployedTemplate } from './removalGuard.ts';

/** Synthesis is not to hang where the account does not answer. */
const attempts = { maxAttempts: 3 };

const regional = (region: string | undefined) => ({ ...attempts, ...(region === undefined ? {} : { region }) });

export async function readDeployedTemplate(stackName: string, region: string | undefined): Promise<DeployedTemplate> {
  const client = new CloudFormationClient(regional(region));
  try {
    const { TemplateBody = '' } = await client.send(
      new GetTemplateCommand({ StackName: stackName, TemplateStage: 'Original' }),
    );
    return { kind: 'Deployed', template: JSON.parse(TemplateBody) as unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return isMissing(error, why) ? { kind: 'NotDeployed' } : { kind: 'Refused', why };
  } finally {
    client.destroy();
  }
}

/** CloudFormation has no error of its own for it. */
function isMissing(error: unknown, why: string): boolean {
  return error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(why);
}

export function describeEks(region: string | undefined): DescribeEks {
  return async (name) => {
    const client = new EKSClient(regional(region));
    try {
      const { cluster } = await client.send(new DescribeClusterCommand({ name }));
      const { endpoint, certificateAuthority } = cluster ?? {};
      if (!endpoint || !certificateAuthority?.data) throw new Error('it has no endpoint yet');
      return { endpoint, certificateAuthority: Buffer.from(certificateAuthority.data, 'base64').toString('utf8') };
    } finally {
      client.destroy();
    }
  };
}
