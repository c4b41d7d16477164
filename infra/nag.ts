// Accepted cdk-nag findings with reasons; each is acknowledged where it arises.
import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

const accepted = {
  tracing: {
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason: 'xray:PutTraceSegments and xray:PutTelemetryRecords have no resources; no other statement has a wildcard.',
  },
  network: {
    id: 'AwsSolutions::AwsSolutions-IAM5[Resource::*]',
    reason:
      'AWS Lambda makes network interfaces whose names are not known before; xray:Put* and the ec2 actions of a VPC function have no finer form.',
  },
  functionWithoutDeadLetters: {
    id: 'Serverless::Serverless-LambdaDLQ',
    reason:
      'Stages are invoked from queues that have dead-letter queues; the sweep runs again within a minute, whatever became of the last run; the dashboard calls the widget again.',
  },
  mappingWithoutDestination: {
    id: 'Serverless::Serverless-LambdaEventSourceMappingDestination',
    reason: 'Failures of a queue go to its dead-letter queue; on-failure destinations exist for streams only.',
  },
  ruleWithoutDeadLetters: {
    id: 'Serverless::Serverless-EventBusDLQ',
    reason: 'A lost tick of the schedule is made good by the next one, a minute later.',
  },
  endOfTheLine: {
    id: 'Serverless::Serverless-SQSRedrivePolicy',
    reason: 'This queue is itself a dead-letter queue.',
  },
  requestsAreRepeated: {
    id: 'AwsSolutions::AwsSolutions-SQS3',
    reason: 'A request for an object is sent again while the object is missing; a lost one costs minutes.',
  },
  requestsAreNotRedriven: {
    id: 'Serverless::Serverless-SQSRedrivePolicy',
    reason:
      'A request that was not taken within ten minutes is of no use, and is sent again while its object is missing.',
  },
  plainHttp: {
    id: 'AwsSolutions::AwsSolutions-SQS4',
    reason: 'Plain HTTP was asked for (enforceSSL: false), for an emulator without TLS.',
  },
} as const satisfies Record<string, { id: string; reason: string }>;
export type Accepted = keyof typeof accepted;

/** Accepts one finding for everything below `scope`. */
export function accept(scope: IConstruct, finding: Accepted): void {
  Validations.of(scope).acknowledge(accepted[finding]);
}
