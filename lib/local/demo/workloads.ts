// Plays controllers and scheduler of the demo: creates pods, binds them to untainted devices, updates PodDisruptionBudget status.
import type { DeviceId } from '../../model/identity.ts';
import { allocatedStatus, ownedBy } from '../cluster/allocation.ts';
import { pod as podManifest, resourceClaim } from '../cluster/builders.ts';
import { claimFinalizer } from '../cluster/claimController.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type JsonMap, type KubeObject, mapAt, textAt } from '../cluster/object.ts';
import { isUnderDeletion } from '../cluster/remove.ts';
import { readDevices } from './devices.ts';
import { templateName, type Workload } from './fleet.ts';

export interface Workloads {
  /** Creates missing pods and binds unscheduled ones. */
  reconcile(): void;
  stop(): void;
}

/** Reconciles every `interval` milliseconds, like controllers and the scheduler. */
export function startWorkloads(
  cluster: Cluster,
  workloads: readonly Workload[],
  { interval = 700 }: { readonly interval?: number } = {},
): Workloads {
  let serial = 0;
  const [pods, budgets] = [cluster.resource('pods'), cluster.resource('poddisruptionbudgets')];
  const podsOf = ({ namespace, app }: Workload) =>
    cluster.store.list(pods, namespace).filter((one) => one.metadata.labels?.app === app && !isUnderDeletion(one));
  const bind = (workload: Workload, pod: KubeObject, free: DeviceId[]) => {
    const device = takeFrom(free, workload, serial++);
    if (device) bindTo(cluster, { workload, pod, device });
  };
  const reconcile = () => {
    const free = [...readDevices(cluster).free];
    for (const workload of workloads) {
      const present = podsOf(workload);
      const missing = Array.from({ length: Math.max(0, workload.replicas - present.length) }, () =>
        cluster.seed(newPod(workload, ++serial)),
      );
      const unbound = [...present, ...missing].filter((one) => textAt(one, 'spec', 'nodeName') === undefined);
      for (const pod of unbound) bind(workload, pod, free);
      writeBudget(cluster, budgets, { workload, ready: podsOf(workload).filter(isRunning).length });
    }
  };
  reconcile();
  const timer = setInterval(reconcile, interval);
  timer.unref();
  return { reconcile, stop: () => clearInterval(timer) };
}

/** Spreads pods over the fleet, deterministically. */
function takeFrom(free: DeviceId[], { driver, firstNode }: Workload, serial: number): DeviceId | undefined {
  const fitting = free.filter((one) => one.driver === driver);
  const preferred = fitting.filter((one) => one.pool === firstNode);
  const choice = preferred.length > 0 ? preferred : fitting;
  const device = choice[(serial * 37) % Math.max(1, choice.length)];
  if (device) free.splice(free.indexOf(device), 1);
  return device;
}

function newPod(workload: Workload, serial: number): JsonMap {
  const { namespace, app } = workload;
  const manifest = podManifest({
    name: `${app}-${suffix(serial)}`,
    namespace,
    labels: { app },
    template: templateName(workload),
    graceSeconds: 30,
  });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: `${namespace}-${app}`, controller: true };
  return { ...manifest, metadata: { ...mapAt(manifest, 'metadata'), ownerReferences: [owner] } };
}

interface Binding {
  readonly workload: Workload;
  readonly pod: KubeObject;
  readonly device: DeviceId;
}

/** Allocates the claim first, as the scheduler does; the fake kubelet then starts the pod. */
function bindTo(cluster: Cluster, { workload, pod, device }: Binding): void {
  const { name, namespace = '', uid } = pod.metadata;
  const node = nodeOf(device);
  const claim = resourceClaim({ name: `${name}-device`, namespace, deviceClass: workload.driver });
  const metadata = {
    ...mapAt(claim, 'metadata'),
    finalizers: [claimFinalizer],
    ownerReferences: ownedBy({ name, uid }),
  };
  cluster.seed({ ...claim, metadata, status: allocatedStatus({ ...device, node }, [{ name, uid }]) });
  const status = {
    ...mapAt(pod, 'status'),
    resourceClaimStatuses: [{ name: 'device', resourceClaimName: `${name}-device` }],
  };
  cluster.store.put(cluster.resource('pods'), {
    ...pod,
    spec: { ...mapAt(pod, 'spec'), nodeName: node },
    status,
  });
}

/** The pool name of a GPU is its node; the device name of a TPU begins with its node. */
export function nodeOf({ pool, device }: DeviceId): string {
  return /^(.+)-tpu-\d+$/.exec(device)?.[1] ?? pool;
}

function isRunning(pod: KubeObject): boolean {
  return textAt(pod, 'status', 'phase') === 'Running';
}

/** Sets disruptionsAllowed for `maxUnavailable`, as the disruption controller does. */
function writeBudget(
  cluster: Cluster,
  budgets: ReturnType<Cluster['resource']>,
  { workload, ready }: { readonly workload: Workload; readonly ready: number },
): void {
  const { namespace, app, replicas, maxUnavailable } = workload;
  const budget = maxUnavailable === undefined ? undefined : cluster.store.get(budgets, `${namespace}/${app}`);
  if (!budget || maxUnavailable === undefined) return;
  const desiredHealthy = replicas - maxUnavailable;
  const status = {
    disruptionsAllowed: Math.max(0, ready - desiredHealthy),
    currentHealthy: ready,
    desiredHealthy,
    expectedPods: replicas,
  };
  if (JSON.stringify(budget.status) !== JSON.stringify(status)) cluster.store.put(budgets, { ...budget, status });
}

/** Five letters and digits, like names generated by the API server. */
function suffix(serial: number): string {
  const letters = 'bcdfghjklmnpqrstvwxz2456789';
  let rest = (serial * 2_654_435_761) % letters.length ** 5;
  return Array.from({ length: 5 }, () => {
    const letter = letters[rest % letters.length] ?? 'b';
    rest = Math.floor(rest / letters.length);
    return letter;
  }).join('');
}
