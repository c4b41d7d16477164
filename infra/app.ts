// The CDK app: one stack from context values, or, with nothing set, one that synthesizes anywhere.
import { App } from 'aws-cdk-lib';
import { sluicePropsFrom, stackPropsFrom } from './context.ts';
import { validate } from './nag.ts';
import { SluiceStack } from './stack.ts';

const app = new App();
new SluiceStack(app, 'Sluice', { ...stackPropsFrom(app.node), sluice: sluicePropsFrom(app.node) });
validate(app);
app.synth();
