// States of a stack after a deployment that failed or has not ended: what creates it again, and what no deployment can change.
import { CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';

/** States that a stack has only before its creation has succeeded. */
export function isUncreated(status: string): boolean {
  return /^(REVIEW_IN_PROGRESS|CREATE_(IN_PROGRESS|FAILED)|ROLLBACK_\w+)$/.test(status);
}

/** Why a stack in this state cannot be deployed, and what to do first; absent if it can. */
export function blockOf(of: {
  readonly stack: string;
  readonly region: string;
  readonly status: string;
}): { readonly why: string; readonly remedy: string } | undefined {
  const { stack, region, status } = of;
  const why = `stack ${stack} is ${status}, and cannot be deployed`;
  const named = `--stack-name ${stack} --region ${region}`;
  if (status === 'UPDATE_ROLLBACK_FAILED')
    return { why, remedy: `aws cloudformation continue-update-rollback ${named}` };
  if (status === 'DELETE_FAILED') return { why, remedy: 'finish its removal: sluice uninstall' };
  if (status.endsWith('_IN_PROGRESS') && status !== 'REVIEW_IN_PROGRESS')
    return { why, remedy: `wait until that has ended: aws cloudformation describe-stack-events ${named}` };
  return undefined;
}

/** The CDK protects a stack before it creates it, and deletes one whose creation has failed before it tries again. */
export async function unprotectFailed(of: {
  readonly stack: string;
  readonly region: string;
  readonly status: string | undefined;
}): Promise<void> {
  if (of.status === undefined || !/^ROLLBACK_(COMPLETE|FAILED)$/.test(of.status)) return;
  const client = new CloudFormationClient({ region: of.region, maxAttempts: 3 });
  try {
    const change = { StackName: of.stack, EnableTerminationProtection: false };
    await client.send(new UpdateTerminationProtectionCommand(change));
  } finally {
    client.destroy();
  }
}
