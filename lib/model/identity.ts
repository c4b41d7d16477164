// Names and identities of objects, and the only code that builds keys from them.

/** metadata.uid: identifies one object; a recreated object has the same name and another UID. */
export type Uid = string;

/** A cluster's name in Sluice's configuration. */
export type ClusterName = string;

/** One life of a cluster: the UID of its namespace kube-system, plus a dot and the annotation set after an etcd restore, if any. */
export type Incarnation = string;

/** `<cluster>@<incarnation>`: prefix of every row of its state and of every message. Without an incarnation there are no rows. */
export type ClusterId = `${ClusterName}@${Incarnation}`;

export function clusterIdOf(cluster: ClusterName, incarnation: Incarnation | undefined): ClusterId {
  return `${cluster}@${incarnation ?? ''}`;
}

/** The cluster's name, for people, metrics, configuration and queues; a name is returned unchanged. */
export function clusterNameOf(cluster: ClusterId | ClusterName): ClusterName {
  return cluster.split('@', 1)[0] ?? cluster;
}

/** On the namespace kube-system. A person changes its value after an etcd restore, so that Sluice starts an empty mirror. */
export const incarnationAnnotation = 'sluice.dev/incarnation';

/** Starts an empty mirror for the cluster of kubectl's current context. */
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

/** A device, identified as in an allocation result. */
export interface DeviceId {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** `namespace/name`; neither part can contain a slash. */
export function nameKey(of: NamespacedName): string {
  return `${of.namespace}/${of.name}`;
}

export function parseNameKey(key: string): NamespacedName {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** `driver|pool`: pool names contain slashes (DNS subdomains joined by `/`), but no part contains a `|`. */
export function poolKey(driver: string, pool: string): string {
  return `${driver}|${pool}`;
}

/** `driver|pool|device`. */
export function deviceKey(of: DeviceId): string {
  return `${of.driver}|${of.pool}|${of.device}`;
}

/** -1, 0 or 1. Compares decimal strings of any length, so that a 64-bit version is never rounded. */
export function compareResourceVersions(a: ResourceVersion, b: ResourceVersion): -1 | 0 | 1 {
  const width = Math.max(a.length, b.length);
  const [x, y] = [a.padStart(width, '0'), b.padStart(width, '0')];
  return x < y ? -1 : x > y ? 1 : 0;
}
