// A stack whose first creation has not succeeded: it has no release, and the next deployment creates it again.
import { CloudFormationClient, UpdateTerminationProtectionCommand } from '@aws-sdk/client-cloudformation';

/** States that a stack has only before its creation has succeeded. */
export function isUncreated(status: string): boolean {
  return /^(REVIEW_IN_PROGRESS|CREATE_(IN_PROGRESS|FAILED)|ROLLBACK_\w+)$/.test(status);
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
