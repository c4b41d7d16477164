// The CDK app: one stack from context values, or, with nothing set, one that synthesizes anywhere.
import { App, CliCredentialsStackSynthesizer, type IStackSynthesizer, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { acknowledge, validate } from './nag.ts';
import type { ClusterProps } from './props.ts';
import { Sluice } from './sluice.ts';

/** Stands in until `-c clusters='[{"name":…,"endpoint":…,"auth":…}]'` names real ones. */
const exampleCluster: ClusterProps = {
  name: 'local',
  endpoint: 'https://127.0.0.2:6443',
  auth: { kind: 'eks', clusterName: 'local' },
  native: 'own',
};

const app = new App();
const clusters = (app.node.tryGetContext('clusters') as string | ClusterProps[] | undefined) ?? [exampleCluster];
const isSet = (name: string) => ['1', 'true', true].includes(app.node.tryGetContext(name));
const common = { description: 'Sluice: paced eviction of pods from tainted devices', tags: { application: 'sluice' } };
const stack = isSet('clicreds')
  ? new Stack(app, 'Sluice', { ...common, synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer })
  : new Stack(app, 'Sluice', common);
new Sluice(stack, 'Sluice', {
  clusters: typeof clusters === 'string' ? (JSON.parse(clusters) as ClusterProps[]) : clusters,
  enforceSSL: !isSet('nossl'),
  ...(isSet('destroy') ? { removalPolicy: RemovalPolicy.DESTROY } : {}),
  ...numberProps(['visibilityTimeout', 'maxReceiveCount']),
});
acknowledge(stack);
validate(app);
app.synth();

function numberProps(names: readonly string[]): Record<string, number> {
  const found = names.map((name) => [name, Number(app.node.tryGetContext(name))] as const);
  return Object.fromEntries(found.filter(([, value]) => Number.isFinite(value) && value > 0));
}
