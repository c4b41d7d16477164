// CDK app: one stack from sluice.yaml.
import { App } from 'aws-cdk-lib';
import { synthesize } from './synthesize.ts';
import { validate } from './validate.ts';

const say = (text: string) => console.error(text);
// Otherwise the CDK would write an incomplete stack at process exit after an error.
const app = new App({ autoSynth: false });
validate(app);
await synthesize(app, { environment: process.env, folder: process.cwd(), say }).catch((error: unknown) => {
  say(`sluice: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
});
