// Applies one part of an installation at this release: the CRDs, the stack or the charts.
import { withCluster } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { describeOutputs } from '../installation/stack.ts';
import { line } from '../io.ts';
import { installChart } from './chart.ts';
import { unprotectFailed } from './failedStack.ts';
import { type NamedKubeconfig, withKubeconfig } from './kubeconfig.ts';
import { applyDefinitions } from './objects.ts';
import type { Part } from './order.ts';
import type { SynthesizedStack } from './stack.ts';
import type { Target } from './target.ts';
import { chartValues } from './values.ts';
import type { Workspace } from './workspace.ts';

export interface Applied {
  readonly call: Call;
  readonly target: Target;
  readonly workspace: Workspace;
  readonly stack: SynthesizedStack;
  readonly image: string;
}

export async function applyPart(part: Part, applied: Applied): Promise<void> {
  const { call, target, workspace, stack, image } = applied;
  const { config, region, stackName } = target;
  switch (part) {
    case 'Stack':
      line(call.io.err, `deploying stack ${stackName}`);
      await unprotectFailed({ stack: stackName, region, status: target.account.uncreated });
      await stack.deploy();
      return;
    case 'Definitions':
      return eachCluster(call, target, async (named, { name }) => {
        line(call.io.err, `applying CRDs in ${name}`);
        await withCluster(namedCall(call, named), ({ client }) => applyDefinitions(client, call.io));
      });
    case 'Charts': {
      const outputs = await describeOutputs({ stack: stackName, region });
      return eachCluster(call, target, async (named, cluster) => {
        line(call.io.err, `installing the chart in ${cluster.name}`);
        const values = chartValues(cluster, { region, outputs, image, settings: config.settings });
        await installChart(call.io, named, { chart: workspace.chart, values });
      });
    }
    default:
      part satisfies never;
  }
}

type Cluster = Target['config']['clusters'][number];

/** Processes clusters one by one; after a failure the remaining clusters are unchanged. */
export async function eachCluster(
  call: Pick<Call, 'flags' | 'io'>,
  { config, region }: Pick<Target, 'config' | 'region'>,
  work: (named: NamedKubeconfig, cluster: Cluster) => Promise<void>,
): Promise<void> {
  for (const cluster of config.clusters)
    await withKubeconfig(call, { cluster, config, region }, (named) => work(named, cluster));
}

/** The call with that kubeconfig and context as if given on the command line. */
export function namedCall(
  { io }: Pick<Call, 'io'>,
  { kubeconfig, context }: NamedKubeconfig,
): Pick<Call, 'flags' | 'io'> {
  return { io, flags: { kubeconfig, ...(context === undefined ? {} : { context }) } };
}
