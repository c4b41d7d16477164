// Synthesizes one stack from sluice.yaml; refuses removals that are not allowed.
import type { App } from 'aws-cdk-lib';
import { connectClusters } from '../lib/config/connect.ts';
import { refuseContextKeys } from '../lib/config/contextKeys.ts';
import { readDeployedTemplate } from '../lib/config/deployedTemplate.ts';
import { exampleFile, loadConfig } from '../lib/config/load.ts';
import { defaultStackName } from '../lib/outputs.ts';
import { describeEks } from './account.ts';
import { sluicePropsFrom, stackPropsFrom } from './fromConfig.ts';
import { given } from './given.ts';
import { checkRemovals, otherAccount, type RemovalCheck } from './removalGuard.ts';
import { SluiceStack } from './stack.ts';

export interface Synthesis {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder of sluice.yaml. */
  readonly folder: string;
  readonly say: (text: string) => void;
}

/** Throws with the problem and a remedy. */
export async function synthesize(app: App, { environment, folder, say }: Synthesis): Promise<void> {
  const contextOf = (name: string): unknown => app.node.tryGetContext(name);
  refuseContextKeys(contextOf);
  const { file, config } = loadConfig({ file: textOf(contextOf('config')), environment, folder, example: exampleFile });
  say(`configuration: ${file}${file === exampleFile ? ' (the example: nothing of yours is in it)' : ''}`);
  // Set by the CDK command line if it has credentials.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: defaultRegion } = environment;
  const defaults = { ...(account ? { account } : {}), ...(defaultRegion ? { region: defaultRegion } : {}) };
  const region = config.stack?.region ?? defaultRegion;
  const connected = await connectClusters(config, describeEks(region));
  const stackName = config.stack?.name ?? defaultStackName;
  const release = textOf(contextOf('release'));
  const stack = new SluiceStack(app, stackName, {
    ...stackPropsFrom(config, defaults),
    sluice: (scope) => sluicePropsFrom(scope, connected),
    ...given({ release }),
  });
  const template: unknown = app.synth().getStackByName(stack.stackName).template;
  const deployed = await deployedWith(account, { expected: config.stack?.account, stackName, region });
  const allowed = textOf(contextOf('allowRemoval')) ?? '';
  checkRemovals({ stackName, template, deployed, allowed, say, isInstalling: release !== undefined });
}

async function deployedWith(
  account: string | undefined,
  of: { readonly expected: string | undefined; readonly stackName: string; readonly region: string | undefined },
): Promise<RemovalCheck['deployed']> {
  if (!account) return { kind: 'NoCredentials' };
  const why = otherAccount(account, of.expected);
  return why === undefined ? readDeployedTemplate(of.stackName, of.region) : { kind: 'Refused', why };
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}
