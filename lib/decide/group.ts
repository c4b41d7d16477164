// Which pods form one workload, where losing some is as bad as losing all.
import type { Pod } from '../model/objects.ts';
import type { GroupBy } from '../model/policy.ts';

type Member = Pick<Pod, 'namespace' | 'labels' | 'controller' | 'podGroupName' | 'workloadRef'>;

const jobSetLabel = 'jobset.sigs.k8s.io/jobset-name';
const leaderWorkerSetLabel = 'leaderworkerset.sigs.k8s.io/name';
const groupIndexLabel = 'leaderworkerset.sigs.k8s.io/group-index';
/** Label of the coscheduling plugin. */
const podGroupLabel = 'scheduling.x-k8s.io/pod-group';

/**
 * The widest workload, in this order: JobSet (before its Jobs); LeaderWorkerSet, or with `Replica` one leader and its workers, since these
 * fail together and the set's replicas serve independently; PodGroup; Job. The labels are set by the controllers and are valid within the
 * pod's namespace. `undefined` for any other pod, which is evicted alone: a Deployment's pods replace each other.
 */
export function groupOf(pod: Member, by: GroupBy): string | undefined {
  const { namespace, labels = {}, controller } = pod;
  const set = setOf(pod);
  if (set?.kind === 'LeaderWorkerSet' && by === 'Replica') return `${keyOf(set)}/${labels[groupIndexLabel] ?? ''}`;
  if (set) return keyOf(set);
  const podGroup = podGroupOf(pod);
  if (podGroup !== undefined) return podGroup;
  const isJob = controller?.kind === 'Job' && controller.apiVersion.startsWith('batch/');
  return isJob ? `Job/${namespace}/${controller.uid}` : undefined;
}

interface OwningSet {
  readonly kind: 'JobSet' | 'LeaderWorkerSet';
  readonly namespace: string;
  readonly name: string;
}

/** The JobSet or LeaderWorkerSet of a pod. It outlives its Jobs and StatefulSets. */
export function setOf({ namespace, labels = {} }: Pick<Pod, 'namespace' | 'labels'>): OwningSet | undefined {
  const jobSet = labels[jobSetLabel];
  if (jobSet) return { kind: 'JobSet', namespace, name: jobSet };
  const name = labels[leaderWorkerSetLabel];
  return name ? { kind: 'LeaderWorkerSet', namespace, name } : undefined;
}

function keyOf({ kind, namespace, name }: OwningSet): string {
  return `${kind}/${namespace}/${name}`;
}

/** A stable key of the object that recreates a pod: the set, else the UID of its controller. */
export function ownerOf(pod: Pick<Pod, 'namespace' | 'labels' | 'controller'>): string | undefined {
  const set = setOf(pod);
  return set ? keyOf(set) : pod.controller?.uid;
}

function podGroupOf({ namespace, labels, podGroupName, workloadRef }: Member): string | undefined {
  if (podGroupName) return `PodGroup/${namespace}/${podGroupName}`;
  if (workloadRef) {
    const { name, podGroup, podGroupReplicaKey = '' } = workloadRef;
    return `Workload/${namespace}/${name}/${podGroup}/${podGroupReplicaKey}`;
  }
  const labelled = labels?.[podGroupLabel];
  return labelled ? `PodGroup.scheduling.x-k8s.io/${namespace}/${labelled}` : undefined;
}
