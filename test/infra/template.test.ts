// The whole template: every change shows in its snapshot, and no rule of cdk-nag or CloudFormation is broken.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import type { SluiceProps } from '../../infra/props.ts';
import { SluiceStack } from '../../infra/stack.ts';
import { validate } from '../../infra/validate.ts';
import { readAssembly } from '../../lib/local/aws/template.ts';
import { cluster, context, install, project } from './support/installation.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

interface Finding {
  readonly ruleName: string;
  readonly reason?: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
}

/** Synthesizes with every validation of a deployment; throws where one fails. */
function synthesize(build: (app: App) => void): { folder: string; accepted: readonly Finding[] } {
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-validation-'));
  folders.push(folder);
  const app = new App({ context: context({ 'aws:cdk:enable-asset-metadata': true }), outdir: folder });
  build(app);
  validate(app);
  app.synth();
  const { pluginReports } = JSON.parse(readFileSync(path.join(folder, 'validation-report.json'), 'utf8')) as {
    pluginReports: { violations: Finding[]; suppressedViolations?: Finding[] }[];
  };
  expect(pluginReports.flatMap((report) => report.violations)).toEqual([]);
  return { folder, accepted: pluginReports.flatMap((report) => report.suppressedViolations ?? []) };
}
const build = (sluice: Partial<SluiceProps> = {}) =>
  synthesize((app) => void new SluiceStack(app, 'Sluice', { sluice: { clusters: [cluster], ...sluice } }));

describe('template', () => {
  it('the synthesized template equals its snapshot', () => {
    const text = JSON.stringify(install().template, null, 1);
    expect(text.replaceAll(/[0-9a-f]{64}\.zip/g, '<bundle>.zip').replaceAll(project, '<project>/')).toMatchSnapshot();
  });

  it('the template breaks no rule except those that are accepted where they arise, with a reason', () => {
    const { accepted } = build();
    const times = new Map<string, number>();
    for (const { ruleName, violatingConstructs } of accepted)
      times.set(ruleName, (times.get(ruleName) ?? 0) + violatingConstructs.length);
    expect(Object.fromEntries(times)).toEqual({
      'AwsSolutions-IAM5[Resource::*]': 6,
      'Serverless-EventBusDLQ': 1,
      'Serverless-LambdaDLQ': 6,
      'Serverless-LambdaEventSourceMappingDestination': 4,
      'Serverless-SQSRedrivePolicy': 5,
      'AwsSolutions-SQS3': 1,
    });
    for (const finding of accepted) expect(finding.reason).toMatch(/\w{3,} .*\.$/);
  });

  it('the template is valid with the props that an emulator needs', () => {
    const { accepted } = build({ enforceSSL: false, removalPolicy: RemovalPolicy.DESTROY, visibilityTimeout: 6 });
    expect(accepted.map((one) => one.ruleName)).toContain('AwsSolutions-SQS4');
  });

  it('the validation refuses a queue without the required settings', () => {
    expect(() => synthesize((app) => void new Queue(new Stack(app, 'Other'), 'Bare'))).toThrow(/SQS4|SQS3/);
  });

  it('the embedded AWS can run the template', () => {
    const assembly = readAssembly(build().folder);
    expect(assembly.functions.map((one) => one.stage)).toEqual(['Ingest', 'Evaluate', 'Evict', 'Report', 'Sweep']);
    expect(assembly.queues).toHaveLength(9);
    expect(assembly.mappings).toHaveLength(4);
    expect(assembly.schedules).toHaveLength(1);
  });
});
