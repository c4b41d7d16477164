// Simulated cluster in a separate process, to exclude its cost: pods with a claim and a device each, eight devices per slice.
import { writeFileSync } from 'node:fs';
import { project } from '../../lib/adapters/kubernetes/project.ts';
import { startCluster } from '../../lib/local/cluster/cluster.ts';
import type { JsonMap, KubeObject } from '../../lib/local/cluster/object.ts';
import type { ObjectKind, ObjectProjection } from '../../lib/model/projection.ts';
import { smallRules } from './largeCluster.ts';
import { manifestsOf } from './manifests.ts';
import { type Seeding, seedTable } from './seedTable.ts';

/** Requests to the fleet's process. */
export type Asked =
  | { readonly kind: 'Store'; readonly manifests: readonly JsonMap[] }
  /** Returns claims and pods from index `from`, as in an initial list. */
  | { readonly kind: 'List'; readonly from: number }
  /** Writes rows for all objects except claims and pods from index `from`. */
  | { readonly kind: 'Seed'; readonly table: Seeding; readonly from: number };

export type Told =
  | { readonly kind: 'Ready'; readonly incarnation: string }
  | { readonly kind: 'Deleted'; readonly pods: number }
  /** Stored objects as a watch shows them. */
  | { readonly kind: 'Stored'; readonly objects: readonly ObjectProjection[] }
  | { readonly kind: 'Seeded'; readonly rows: number };

const [pods = '1000', kubeconfig = '', rules = '0'] = process.argv.slice(2);
const tell = (told: Told) => process.send?.(told);

const cluster = await startCluster({ claimController: false, keptCalls: 1 });
for (const manifest of manifestsOf(Number(pods))) cluster.seed(manifest);
for (const manifest of smallRules(Number(rules), Number(pods))) cluster.seed(manifest);
let deleted = 0;
cluster.observe(({ verb, resource, status }) => {
  if (verb === 'delete' && resource === 'pods' && status === 200) tell({ kind: 'Deleted', pods: ++deleted });
});
writeFileSync(kubeconfig, cluster.kubeconfigYaml, { mode: 0o600 });

const kinds = {
  deviceclasses: 'DeviceClass',
  devicetaintrules: 'DeviceTaintRule',
  resourceslices: 'ResourceSlice',
  resourceclaims: 'ResourceClaim',
  pods: 'Pod',
} as const;

function* storedObjects(isWanted: (index: number) => boolean): Generator<ObjectProjection> {
  for (const [plural, kind] of Object.entries(kinds))
    for (const object of cluster.store.list(cluster.resource(plural))) {
      const index = Number(/^(?:pod|claim)-(\d+)$/.exec(object.metadata.name)?.[1] ?? -1);
      if (isWanted(index)) yield projected(kind, object);
    }
}

function projected(kind: ObjectKind, object: KubeObject): ObjectProjection {
  const shown = project(kind, object);
  if (shown.kind !== 'Projected') throw new Error(`${kind} ${object.metadata.name} cannot be read`);
  return shown.object;
}

process.on('message', async (asked: Asked) => {
  if (asked.kind === 'Seed')
    return tell({
      kind: 'Seeded',
      rows: await seedTable(
        asked.table,
        storedObjects((i) => i < asked.from),
      ),
    });
  if (asked.kind === 'List') return tell({ kind: 'Stored', objects: [...storedObjects((i) => i >= asked.from)] });
  const objects = asked.manifests.map((manifest) => projected(manifest.kind as ObjectKind, cluster.seed(manifest)));
  tell({ kind: 'Stored', objects });
});
process.on('disconnect', () => process.exit(0));
const namespace = cluster.store.get(cluster.resource('namespaces'), 'kube-system');
tell({ kind: 'Ready', incarnation: namespace?.metadata.uid ?? '' });
