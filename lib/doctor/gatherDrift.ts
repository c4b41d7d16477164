// Runs drift detection of CloudFormation; returns the properties that were changed outside of the stack.
import {
  CloudFormationClient,
  DescribeStackDriftDetectionStatusCommand,
  DetectStackDriftCommand,
  paginateDescribeStackResourceDrifts,
} from '@aws-sdk/client-cloudformation';
import type { DriftedResource } from './facts.ts';

interface Asked {
  readonly stack: string;
  readonly region: string;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Drift detection takes a minute or two. */
const [pollEvery, polls] = [3000, 100];

/** Throws if the detection fails or does not end in time. */
export async function driftOf({ stack, region, sleep }: Asked): Promise<readonly DriftedResource[]> {
  const client = new CloudFormationClient({ region });
  const { StackDriftDetectionId } = await client.send(new DetectStackDriftCommand({ StackName: stack }));
  const status = new DescribeStackDriftDetectionStatusCommand({ StackDriftDetectionId });
  for (let poll = 0; ; poll++) {
    const { DetectionStatus, DetectionStatusReason } = await client.send(status);
    if (DetectionStatus === 'DETECTION_COMPLETE') break;
    if (DetectionStatus === 'DETECTION_FAILED') throw new Error(`drift detection failed: ${DetectionStatusReason}`);
    if (poll === polls) throw new Error('drift detection does not end');
    await sleep(pollEvery);
  }
  const drifted: DriftedResource[] = [];
  const input = { StackName: stack, StackResourceDriftStatusFilters: ['MODIFIED' as const, 'DELETED' as const] };
  for await (const { StackResourceDrifts = [] } of paginateDescribeStackResourceDrifts({ client }, input))
    for (const one of StackResourceDrifts)
      drifted.push({
        logicalId: one.LogicalResourceId ?? '',
        type: one.ResourceType ?? '',
        isDeleted: one.StackResourceDriftStatus === 'DELETED',
        differences: (one.PropertyDifferences ?? []).map((difference) => ({
          path: difference.PropertyPath ?? '',
          expected: difference.ExpectedValue ?? '',
          actual: difference.ActualValue ?? '',
        })),
      });
  return drifted;
}
