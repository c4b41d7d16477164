// Reads the template of a deployed stack from CloudFormation.
import { CloudFormationClient, DescribeStacksCommand, GetTemplateCommand } from '@aws-sdk/client-cloudformation';

export type DeployedTemplate =
  | { readonly kind: 'Deployed'; readonly template: unknown }
  | { readonly kind: 'NotDeployed' }
  /** The credentials are not sufficient, or CloudFormation does not answer. */
  | { readonly kind: 'Refused'; readonly why: string };

/** A stack without resources, because its first creation was rolled back or never begun, counts as not deployed. */
export async function readDeployedTemplate(stackName: string, region: string | undefined): Promise<DeployedTemplate> {
  const client = new CloudFormationClient({ maxAttempts: 3, ...(region === undefined ? {} : { region }) });
  try {
    const { TemplateBody = '' } = await client.send(
      new GetTemplateCommand({ StackName: stackName, TemplateStage: 'Original' }),
    );
    if (await isEmpty(client, stackName)) return { kind: 'NotDeployed' };
    return templateIn(TemplateBody);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return isMissingStack(error, why) ? { kind: 'NotDeployed' } : { kind: 'Refused', why };
  } finally {
    client.destroy();
  }
}

function templateIn(text: string): DeployedTemplate {
  try {
    return { kind: 'Deployed', template: JSON.parse(text) as unknown };
  } catch {
    return { kind: 'Refused', why: 'its template is not JSON, so it is no stack that the CDK deployed' };
  }
}

/** Without the right to ask for the state, the stack counts as deployed. */
async function isEmpty(client: CloudFormationClient, stackName: string): Promise<boolean> {
  const { Stacks = [] } = await client
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch(() => ({ Stacks: [] }));
  return /^(ROLLBACK_COMPLETE|REVIEW_IN_PROGRESS)$/.test(Stacks[0]?.StackStatus ?? '');
}

/** CloudFormation has no specific error for a missing stack. */
export function isMissingStack(error: unknown, why: string): boolean {
  return error instanceof Error && error.name === 'ValidationError' && /does not exist/.test(why);
}
