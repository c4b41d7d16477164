// Schemas of the AWS resources that an installation uses: network, and SNS topics for alarms.
import { z } from 'zod';
import { runbookEntries } from './runbookEntries.ts';
import { must, optionalElse, whole } from './schemaParts.ts';

export const networkSchema = z
  .strictObject({
    vpc: z
      .string()
      .regex(/^vpc-[0-9a-f]+$/, must('be the id of a VPC, vpc-…'))
      .describe('id of the VPC'),
    subnets: z
      .array(z.string().regex(/^subnet-[0-9a-f]+$/, must('be the id of a subnet, subnet-…')))
      .min(1, must('name at least one subnet'))
      .describe('ids of subnets; they need a route to DynamoDB, SQS and X-Ray'),
    securityGroups: optionalElse(
      z
        .array(z.string().regex(/^sg-[0-9a-f]+$/, must('be the id of a security group, sg-…')))
        .min(1, must('name at least one security group')),
      'ids of security groups; the API servers must admit them on port 443',
      'one new security group for each function',
    ),
  })
  .describe('where the functions that call API servers run; needed for private endpoints');

const thresholdSchema = z.strictObject({
  threshold: optionalElse(
    z.number().positive(must('be more than 0')),
    'value of the metric at which the alarm changes',
    'that of the alarm',
  ),
  minutes: optionalElse(whole(1, 1440), 'consecutive minutes for which the metric must be there', 'those of the alarm'),
});

export const alarmsSchema = z
  .strictObject({
    topics: optionalElse(
      z
        .array(
          z
            .string()
            .regex(
              /^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+(\.fifo)?$/,
              must('be the ARN of an SNS topic, such as arn:aws:sns:eu-west-1:123456789012:on-call'),
            ),
        )
        .max(5, must('name at most five topics, as CloudWatch allows')),
      'ARNs of SNS topics, which get every alarm',
      'alarms change their state and notify no one',
    ),
    runbookUrl: optionalElse(
      z.url({ protocol: /^https?$/, ...must('be an http or https address') }),
      'address of the published runbook; alarms link to its entries',
      'docs/runbook.md of the repository',
    ),
    thresholds: optionalElse(
      z.strictObject(Object.fromEntries(runbookEntries.map((entry) => [entry, thresholdSchema.optional()]))),
      'by entry of the runbook; replaces the threshold and the minutes of those alarms',
      'see the runbook',
    ),
  })
  .describe('whom alarms notify, and when');
