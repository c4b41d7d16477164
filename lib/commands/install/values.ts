// Chart values of one cluster, from stack outputs and sluice.yaml, so that users copy no queue URL by hand.
import type { Config } from '../../config/schema.ts';
import { defaultSettings } from '../../model/snapshot.ts';
import { executorRoleOutput, outputNameOf, watcherRoleOutput } from '../../outputs.ts';
import { Failure } from '../failure.ts';

type Cluster = Config['clusters'][number];

export interface Deployed {
  readonly region: string;
  /** Stack outputs by key. */
  readonly outputs: ReadonlyMap<string, string>;
  /** `NAME@sha256:DIGEST`. */
  readonly image: string;
  readonly settings: Config['settings'];
}

/** Not used with EKS Pod Identity, where the association names the role. */
const roleAnnotation = 'eks.amazonaws.com/role-arn';

export function chartValues(cluster: Cluster, { region, outputs, image, settings }: Deployed) {
  const name = outputNameOf(cluster.name);
  const isOutbound = cluster.auth.kind === 'outbound';
  const usesPodIdentity = cluster.workloadIdentity?.kind === 'podIdentity';
  const annotations = (made: string, given: string | undefined): Readonly<Record<string, string>> => {
    const arn = usesPodIdentity ? undefined : (outputs.get(made) ?? given);
    return arn === undefined ? {} : { [roleAnnotation]: arn };
  };
  return {
    image,
    region,
    queueUrl: needed(outputs, `IngestQueueUrl${name}`),
    // Without the probe, Sluice only watches native taints where the in-tree controller has left no trace.
    probesOwner: true,
    serviceAccount: { annotations: annotations(watcherRoleOutput(cluster.name), cluster.watcherRoleArn) },
    rbac: {
      functions: !isOutbound,
      projection: settings?.projectRules ?? defaultSettings.projectRules,
      release: settings?.releaseStaleConsumers === true,
    },
    executor: {
      enabled: isOutbound,
      environment: isOutbound ? JSON.parse(needed(outputs, `ExecutorEnvironment${name}`)) : {},
      serviceAccountAnnotations: isOutbound
        ? annotations(executorRoleOutput(cluster.name), cluster.executorRoleArn)
        : {},
    },
  };
}

function needed(outputs: Deployed['outputs'], name: string): string {
  const value = outputs.get(name);
  if (value === undefined) throw new Failure(`the stack has no output ${name}`, 'deploy it again: sluice upgrade');
  return value;
}
