// Checks the executor's Deployment in a cluster: environment, available pods and queue.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { saysNotServed } from '../adapters/kubernetes/apiFailure.ts';
import { objectOf, textOf } from '../adapters/kubernetes/read.ts';
import { environmentNames as names, outboundQueue } from '../contract.ts';
import { type Finding, ok, problem } from './finding.ts';
import { notRead } from './notRead.ts';

const request = {
  method: 'GET',
  path: `/apis/apps/v1/deployments?labelSelector=${encodeURIComponent('app.kubernetes.io/name=sluice-executor')}`,
  subject: 'deployments',
} as const;

export async function checkExecutor({
  name,
  client,
}: {
  readonly name: string;
  readonly client: ApiClient;
}): Promise<readonly Finding[]> {
  const subject = `executor of ${name}`;
  const answer = await client.send(request);
  if (saysNotServed(answer)) return [ok(subject, 'none: this API server has no deployments')];
  if (answer.kind !== 'Answer' || answer.status !== 200)
    return [notRead(subject, { request, answer, grant: 'list on deployments' })];
  const found = Array.isArray(answer.body.items) ? answer.body.items.map(objectOf) : [];
  if (found.length === 0) return [ok(subject, 'none: functions evict in this cluster, or none does')];
  return found.map((deployment) => judge(subject, deployment));
}

function judge(subject: string, deployment: Readonly<Record<string, unknown>>): Finding {
  const { name, namespace } = objectOf(deployment.metadata);
  const where = `${textOf(namespace)}/${textOf(name)}`;
  const environment = environmentOf(deployment);
  const [cluster, queue] = [environment[names.outboundCluster], environment[names.evictQueueUrl]];
  if (cluster === undefined || queue === undefined)
    return problem(
      subject,
      `${where} lacks ${cluster === undefined ? names.outboundCluster : names.evictQueueUrl}, so it cannot start`,
      "set the chart's executor.environment to the stack's output ExecutorEnvironment",
    );
  const available = Number(objectOf(deployment.status).availableReplicas ?? 0);
  const wanted = Number(objectOf(deployment.spec).replicas ?? 1);
  if (wanted === 0)
    return problem(
      subject,
      `${where} has 0 replicas, so nothing is evicted here`,
      `kubectl scale deployment/${textOf(name)} -n ${textOf(namespace)} --replicas=1`,
    );
  if (available === 0)
    return problem(
      subject,
      `${where}: none of ${wanted} pods is available, so nothing is evicted here`,
      `kubectl -n ${textOf(namespace)} logs deployment/${textOf(name)} says why`,
    );
  return ok(subject, `${available} of ${wanted} pods of ${where}, for ${outboundQueue(queue, cluster)}`);
}

function environmentOf(deployment: Readonly<Record<string, unknown>>): Readonly<Record<string, string | undefined>> {
  const { containers } = objectOf(objectOf(objectOf(deployment.spec).template).spec);
  const all = Array.isArray(containers) ? containers.map(objectOf) : [];
  const variables = all.flatMap(({ env }) => (Array.isArray(env) ? env.map(objectOf) : []));
  return Object.fromEntries(variables.map((one) => [textOf(one.name) ?? '', textOf(one.value)]));
}
