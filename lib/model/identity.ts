// Names and identities of objects, and the only code that turns them into keys.

/** metadata.uid: the identity of one object; a name may come back with another one. */
export type Uid = string;

/** The name a cluster has in Sluice's configuration. */
export type ClusterName = string;

/** One life of a cluster: the UID of its namespace kube-system, and after a dot what a person set when its etcd was restored. */
export type Incarnation = string;

/** `<cluster>@<incarnation>`: every row of its state and every message begins with it. Without an incarnation it has no rows. */
export type ClusterId = `${ClusterName}@${Incarnation}`;

export function clusterIdOf(cluster: ClusterName, incarnation: Incarnation | undefined): ClusterId {
  return `${cluster}@${incarnation ?? ''}`;
}

/** For people, metrics, configuration and queues; a name is its own. */
export function clusterNameOf(cluster: ClusterId | ClusterName): ClusterName {
  return cluster.split('@', 1)[0] ?? cluster;
}

/** On the namespace kube-system: what a person changes when etcd was restored, so that an empty mirror is opened. */
export const incarnationAnnotation = 'sluice.dev/incarnation';

/** Opens an empty mirror for the cluster that kubectl talks to. */
export const newIncarnationCommand = `kubectl annotate --overwrite namespace kube-system ${incarnationAnnotation}=restored-1`;

export function incarnationOf(cluster: ClusterId): Incarnation {
  return cluster.slice(cluster.indexOf('@') + 1);
}

/** metadata.resourceVersion: since Kubernetes 1.35 (KEP-5504) comparable as an integer of any length. */
export type ResourceVersion = string;

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** One pod, not its successor of the same name. */
export interface PodRef extends NamespacedName {
  readonly uid: Uid;
}

/** A device as an allocation result names it. */
export interface DeviceId {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** `namespace/name`; neither part can hold a slash. */
export function nameKey(of: NamespacedName): string {
  return `${of.namespace}/${of.name}`;
}

export function parseNameKey(key: string): NamespacedName {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** `driver|pool`: pool names hold slashes (DNS subdomains joined by `/`), none of the parts a bar. */
export function poolKey(driver: string, pool: string): string {
  return `${driver}|${pool}`;
}

/** `driver|pool|device`. */
export function deviceKey(of: DeviceId): string {
  return `${of.driver}|${of.pool}|${of.device}`;
}

/** -1, 0 or 1; decimal strings of any length, so that a 64-bit version is never rounded. */
export function compareResourceVersions(a: ResourceVersion, b: ResourceVersion): -1 | 0 | 1 {
  const width = Math.max(a.length, b.length);
  const [x, y] = [a.padStart(width, '0'), b.padStart(width, '0')];
  return x < y ? -1 : x > y ? 1 : 0;
}
