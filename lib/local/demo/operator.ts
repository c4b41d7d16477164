// Actions of the user in the demo cluster through its API only, so that kubectl shows them and could do the same.

import { burstAnnotation, rateAnnotation } from '../../decide/rate.ts';
import { approvalAnnotations } from '../../model/approvalNote.ts';
import { approveAnnotation } from '../../model/hold.ts';
import { projectedFromLabel } from '../../model/rule.ts';
import { describeStops } from '../../model/stop.ts';
import type { Instant } from '../../model/time.ts';
import { type ApiClient, createApiClient } from '../cluster/client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type JsonMap, type KubeObject, listAt, textAt } from '../cluster/object.ts';
import { apiVersionOf } from '../cluster/resources.ts';
import { currentStops } from './pauses.ts';

export interface Operator {
  /** Creates or replaces the object. Throws if the API server refuses. */
  apply(manifest: JsonMap): Promise<void>;
  /** No error if the object is already deleted. */
  remove(kind: string, name: string): Promise<void>;
  /** By the Eviction API: false while a PodDisruptionBudget keeps the pod. No error if it is already deleted. */
  evictPod(pod: KubeObject): Promise<boolean>;
  annotate(object: KubeObject, annotations: Readonly<Record<string, string | null>>): Promise<void>;
  close(): void;
}

export function createOperator(cluster: Cluster): Operator {
  const client = createApiClient({ url: cluster.url, ca: cluster.ca, token: cluster.token, userAgent: 'demo' });
  const removeAt = async (path: string) => {
    const answer = await client.call('DELETE', path);
    if (answer.status !== 404) done(answer, `delete ${path}`);
  };
  return {
    async apply(manifest) {
      const { name } = manifest.metadata as { readonly name: string };
      const path = pathOf(cluster, String(manifest.kind));
      const created = await client.call('POST', path, { body: manifest });
      if (created.status !== 409) return done(created, `create ${manifest.kind} ${name}`);
      await patch(client, `${path}/${name}`, manifest);
    },
    remove: (kind, name) => removeAt(`${pathOf(cluster, kind)}/${name}`),
    async evictPod({ metadata: { namespace, name } }) {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
      const answer = await client.call('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, { body });
      if (answer.status === 429) return false;
      if (answer.status !== 404) done(answer, `evict pod ${namespace}/${name}`);
      return true;
    },
    annotate: (object, annotations) =>
      patch(client, `${pathOf(cluster, object.kind)}/${object.metadata.name}`, { metadata: { annotations } }),
    close: () => client.close(),
  };
}

async function patch(client: ApiClient, path: string, body: JsonMap): Promise<void> {
  done(await client.call('PATCH', path, { body, contentType: 'application/merge-patch+json' }), `patch ${path}`);
}

/** API path of a cluster-scoped kind. */
function pathOf(cluster: Cluster, kind: string): string {
  const type = cluster.resources.find((one) => one.kind === kind);
  if (!type) throw new Error(`no resource of kind ${kind} is served`);
  return `/${type.group ? 'apis' : 'api'}/${apiVersionOf(type, type.versions[0] ?? 'v1')}/${type.plural}`;
}

function done({ status, body }: { readonly status: number; readonly body: JsonMap }, what: string): void {
  if (status >= 300) throw new Error(`${what}: ${status} ${textAt(body, 'message') ?? ''}`);
}

/** Rules without native ones that Sluice projected from PacedTaintRules. */
export function writtenRules(cluster: Cluster): readonly KubeObject[] {
  return ['devicetaintrules', 'pacedtaintrules']
    .flatMap((plural) => cluster.store.list(cluster.resource(plural)))
    .filter((rule) => rule.metadata.labels?.[projectedFromLabel] === undefined);
}

export function taintSlices(cluster: Cluster): readonly KubeObject[] {
  return cluster.store.list(cluster.resource('devicetaintslices'));
}

function policiesOf(cluster: Cluster): readonly KubeObject[] {
  return cluster.store.list(cluster.resource('evictionpolicies'));
}

export interface Toggled {
  readonly said: string;
  /** UIDs of stops of others that the answer names; the same key again ends them. */
  readonly named: ReadonlySet<string>;
}

/**
 * Stops the cluster, rules to come included, or ends every stop; answers in words. Stops that the key did not make are named
 * first, and ended only if `named` has all of them.
 */
export async function togglePause(
  cluster: Cluster,
  operator: Operator,
  named: ReadonlySet<string> = new Set(),
): Promise<Toggled> {
  const stops = currentStops(cluster);
  const others = stops.filter(({ name }) => name !== stopByKey.metadata.name);
  if (others.some(({ uid }) => !named.has(uid))) {
    const said = `not made by this key: ${describeStops(others)}; press p again to delete ${others.length === 1 ? 'it' : 'them'} and resume`;
    return { said, named: new Set(others.map(({ uid }) => uid)) };
  }
  if (stops.length === 0) await operator.apply(stopByKey);
  for (const { name } of stops) await operator.remove('EvictionStop', name);
  const said =
    stops.length > 0
      ? 'resumed: the cluster is not stopped any more'
      : 'paused by EvictionStop by-key: no pod is evicted until you press p again';
  return { said, named: new Set() };
}

const stopByKey = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'EvictionStop',
  metadata: { name: 'by-key' },
  spec: { reason: 'p was pressed in the terminal' },
};

const ladder = [0.5, 1, 2, 4, 8, 16, 32] as const;

/** Sets the next higher or lower rate; for rules by annotation, so that a canary does not restart. */
export async function changeRate(
  cluster: Cluster,
  operator: Operator,
  by: { readonly rule: string; readonly perSecond: number; readonly up: boolean },
): Promise<string> {
  const { rule, perSecond, up } = by;
  const object = writtenRules(cluster).find(({ metadata }) => metadata.name === rule);
  if (!object) return `${rule} is no rule: edit its EvictionPolicy to change the rate`;
  // A paused rule shows rate 0, so start from the written rate.
  const written = Number(object.metadata.annotations?.[rateAnnotation] ?? Number.NaN);
  const from = Number.isFinite(written) ? written : perSecond;
  const next = up ? ladder.find((one) => one > from) : ladder.findLast((one) => one < from);
  if (next === undefined) return `${rule} stays at ${from}/s: there is no ${up ? 'higher' : 'lower'} step`;
  await operator.annotate(object, { [rateAnnotation]: String(next) });
  return `${object.kind} ${rule}: ${next}/s, annotated ${rateAnnotation}`;
}

/** The API server knows the demo alone, and not its reader. */
const byTerminal = 'key a in the terminal';

/** Approves every plan offered in a sluice.dev/Held condition. */
export async function approveHeld(cluster: Cluster, operator: Operator, now: Instant): Promise<string> {
  const held = [...writtenRules(cluster), ...policiesOf(cluster)].flatMap((object) => {
    const digest = digestOf(object);
    return digest === undefined ? [] : [{ object, digest }];
  });
  for (const { object, digest: digests } of held)
    await operator.annotate(object, approvalAnnotations({ digests, by: byTerminal, at: now }));
  if (held.length === 0) return 'nothing waits for an approval';
  return `approved: ${held.map(({ object }) => `${object.kind} ${object.metadata.name}`).join(', ')}`;
}

function digestOf(object: KubeObject): string | undefined {
  const held = listAt(object, 'status', 'conditions').find(
    (one) => textAt(one, 'type') === 'sluice.dev/Held' && textAt(one, 'status') === 'True',
  );
  return new RegExp(`${approveAnnotation}=([\\w,-]+)`).exec(textAt(held, 'message') ?? '')?.[1];
}

/** Taints all GPUs of the node. */
export async function taintNode(operator: Operator, node: string): Promise<string> {
  const name = `tainted-${node}`;
  await operator.apply({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceTaintRule',
    metadata: {
      name,
      annotations: { [rateAnnotation]: '2', [burstAnnotation]: '1' },
      labels: { [byKey]: 't' },
    },
    spec: {
      deviceSelector: { driver: 'gpu.example.com', pool: node },
      taint: { key: 'example.com/by-hand', effect: 'NoExecute' },
    },
  });
  return `DeviceTaintRule ${name}: all GPUs of ${node} are tainted until the next act`;
}

/** Label of rules made with key `t`; the next act removes them. */
export const byKey = 'demo.sluice.dev/key';
