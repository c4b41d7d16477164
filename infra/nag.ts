// cdk-nag as a validation plugin, and every finding that is accepted with its reason.
import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';

export function validate(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}

const accepted: readonly { readonly id: string; readonly reason: string }[] = [
  {
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason:
      'xray:PutTraceSegments and xray:PutTelemetryRecords know no resources; a template test sees that nothing else has a wildcard.',
  },
  {
    id: 'Serverless::Serverless-LambdaDLQ',
    reason:
      'Functions run from queues that have dead-letter queues; the sweep runs again within a minute, whatever became of the last run.',
  },
  {
    id: 'Serverless::Serverless-LambdaEventSourceMappingDestination',
    reason:
      'For queues the destination of failures is the dead-letter queue; on-failure destinations exist for streams only.',
  },
  {
    id: 'Serverless::Serverless-EventBusDLQ',
    reason: 'A lost tick of the schedule is made good by the next one, a minute later.',
  },
];

/** Acknowledges the accepted findings for everything below `scope`. */
export function acknowledge(scope: IConstruct): void {
  for (const finding of accepted) Validations.of(scope).acknowledge(finding);
}

/** A dead-letter queue is the end of the line; everything else must have one. */
export function acknowledgeDeadLetterQueue(queue: IConstruct): void {
  Validations.of(queue).acknowledge({
    id: 'Serverless::Serverless-SQSRedrivePolicy',
    reason: 'This queue is itself a dead-letter queue.',
  });
}
