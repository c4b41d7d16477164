// The LiveCluster port: single objects are read as lists of one, so that even an absent object has a version; plus two kinds of lists.
import type { LiveCluster, NotRead, PoolOfNode, Read, ReadAll } from '../../liveCluster.ts';
import { incarnationAnnotation, newIncarnationCommand, parseNameKey } from '../../model/identity.ts';
import type { ObjectKind, ObjectOf } from '../../model/projection.ts';
import type { ApiClient } from './apiClient.ts';
import { stopOf } from './evictionStop.ts';
import { type LiveList, listAll } from './liveLists.ts';
import { createPoolReader } from './livePools.ts';
import { project } from './project.ts';
import { conditionsOf } from './projectRule.ts';
import { objectOf, type Projected, textOf } from './read.ts';
import { type Resource, rememberServed, resources, stopResource } from './servedVersion.ts';

export type ReadIncarnation = LiveCluster['incarnation'];

const clusterNamespace = 'kube-system';

/** Read one after the other within the second that a read counts: more of them would be too old, and load the API server for nothing. */
const mostRulePages = 20;

export function createLiveCluster(client: ApiClient): LiveCluster {
  const served = new Map(
    [...Object.values(resources), stopResource].map((resource) => [resource, rememberServed(client, resource)]),
  );
  const servedAs = (resource: Resource) => served.get(resource) ?? rememberServed(client, resource);
  const request = (resource: Resource, by: { subject: string; within?: string; fieldSelector?: string }) => ({
    subject: by.subject,
    ...(by.fieldSelector === undefined ? {} : { fieldSelector: by.fieldSelector }),
    pathOf: (version: string) => `${resource.group}/${version}${by.within ?? ''}/${resource.name}`,
  });
  const list = (resource: Resource, by: Parameters<typeof request>[1]) =>
    listAll(client, servedAs(resource), request(resource, by));
  const one = (kind: ObjectKind, key: string) => {
    const isNamespaced = key.includes('/');
    const { namespace, name } = isNamespaced ? parseNameKey(key) : { namespace: '', name: key };
    const within = isNamespaced ? { within: `/namespaces/${encodeURIComponent(namespace)}` } : {};
    const resource = resources[kind];
    return list(resource, { subject: `${resource.name} ${key}`, ...within, fieldSelector: `metadata.name=${name}` });
  };
  const pools = createPoolReader(client);
  return {
    async incarnation() {
      const listed = await one('Namespace', clusterNamespace);
      if (listed.kind !== 'Listed') return listed;
      const { uid, annotations } = objectOf(objectOf(listed.items[0]).metadata);
      return incarnationIn(textOf(uid), objectOf(annotations)[incarnationAnnotation]);
    },
    async read<K extends ObjectKind>(kind: K, key: string): Read<K> {
      const listed = await one(kind, key);
      if (listed.kind !== 'Listed') return listed;
      const [item] = listed.items;
      if (item === undefined) return { kind: 'NotFound', resourceVersion: listed.resourceVersion };
      const read = shown(kind, item);
      if (read.kind !== 'Shown') return read;
      const { resourceVersion } = listed;
      const shownRate = textOf(objectOf(objectOf(item).status).rate);
      const status = { conditions: conditionsOf(item), ...(shownRate === undefined ? {} : { shownRate }) };
      return { ...read, kind: 'Found', ...status, resourceVersion };
    },
    policies: async () =>
      listed('EvictionPolicy', await list(resources.EvictionPolicy, { subject: 'evictionpolicies' })),
    async pacedRules() {
      const { PacedTaintRule: resource } = resources;
      const by = { ...request(resource, { subject: resource.name }), mostPages: mostRulePages };
      return listed('PacedTaintRule', await listAll(client, servedAs(resource), by));
    },
    async stops() {
      const listed = await list(stopResource, { subject: 'evictionstops' });
      return listed.kind === 'Listed' ? { kind: 'Listed', stops: listed.items.map(stopOf) } : listed;
    },
    slices: async (of: PoolOfNode) => listed('ResourceSlice', await pools.list(of)),
  };
}

/** An invalid value keeps all pods, since it may mean another incarnation. */
function incarnationIn(uid: string | undefined, restored: unknown): Awaited<ReturnType<ReadIncarnation>> {
  const refused = (why: string) => ({ kind: 'RetryLater', after: 1000, why }) as const;
  if (!uid) return refused(`namespaces ${clusterNamespace}: it is missing or has no UID`);
  if (restored === undefined) return { kind: 'Found', incarnation: uid };
  return typeof restored === 'string' && /^[A-Za-z0-9-]{1,40}$/.test(restored)
    ? { kind: 'Found', incarnation: `${uid}.${restored}` }
    : refused(
        `namespaces ${clusterNamespace}: annotation ${incarnationAnnotation} must be 1 to 40 letters, digits or dashes: ${newIncarnationCommand}`,
      );
}

type Shown<K extends ObjectKind> =
  | { readonly kind: 'Shown'; readonly object: ObjectOf<K>; readonly problem?: string }
  | Extract<NotRead, { kind: 'RetryLater' }>;

/** An object without an identity may be one that keeps a pod: then nothing is known. */
function shown<K extends ObjectKind>(kind: K, item: unknown): Shown<K> {
  const projected = project(kind, item) as Projected<ObjectOf<K>>;
  if (projected.kind === 'Projected') return { kind: 'Shown', object: projected.object };
  const { harmless, why } = projected;
  return harmless ? { kind: 'Shown', object: harmless, problem: why } : { kind: 'RetryLater', after: 1000, why };
}

async function listed<K extends ObjectKind>(kind: K, list: LiveList): ReadAll<K> {
  if (list.kind !== 'Listed') return list satisfies NotRead;
  const objects: ObjectOf<K>[] = [];
  for (const item of list.items) {
    const read = shown(kind, item);
    if (read.kind !== 'Shown') return read;
    objects.push(read.object);
  }
  return { kind: 'Listed', objects, resourceVersion: list.resourceVersion };
}
