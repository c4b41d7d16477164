// The CDK app: one stack from sluice.yaml. It refuses to synthesize without one, and to remove what was not allowed.
import { App } from 'aws-cdk-lib';
import { connectClusters } from '../lib/config/connect.ts';
import { refuseContextKeys } from '../lib/config/contextKeys.ts';
import { loadConfig } from '../lib/config/load.ts';
import { describeEks, readDeployedTemplate } from './account.ts';

import { defaultStackName, sluicePropsFrom, stackPropsFrom } from './fromConfig.ts';
import { validate } from './nag.ts';
import { checkRemovals } from './removalGuard.ts';
import { SluiceStack } from './stack.ts';

const say = (text: string) => console.error(text);

async function synthesize(): Promise<void> {
  // Else a stack that failed half way would be written when the process ends.
  const app = new App({ autoSynth: false });
  const contextOf = (name: string): unknown => app.node.tryGetContext(name);
  refuseContextKeys(contextOf);
  const { file, config } = loadConfig({
    file: textOf(contextOf('config')),
    environment: process.env,
    folder: process.cwd(),
  });
  say(`configuration: ${file}`);
  // The command line of the CDK says them where it has credentials.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  const known = { ...(account ? { account } : {}), ...(region ? { region } : {}) };
  const regionOf = config.stack?.region ?? region;
  const connected = await connectClusters(config, describeEks(regionOf));
  const stackName = config.stack?.name ?? defaultStackName;
  new SluiceStack(app, stackName, {
    ...stackPropsFrom(config, known),
    sluice: (stack) => sluicePropsFrom(stack, connected),
  });
  validate(app);
  const template: unknown = app.synth().getStackByName(stackName).template;
  const deployed = account ? await readDeployedTemplate(stackName, regionOf) : { kind: 'NoCredentials' as const };
  checkRemovals({ stackName, template, deployed, allowed: textOf(contextOf('allowRemoval')) ?? '', say });
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value);
}

await synthesize().catch((error: unknown) => {
  say(`sluice: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
