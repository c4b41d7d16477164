// `sluice get pods`: pods with devices, and whether the taints of those devices evict the pod.
import { podResource } from '../../adapters/kubernetes/servedVersion.ts';
import { nameKey } from '../../model/identity.ts';
import type { Pod } from '../../model/objects.ts';
import { compareText } from '../../model/snapshot.ts';
import { devicesOfPod, deviceText } from '../cluster/devices.ts';
import { inNamespace } from '../cluster/namespaces.ts';
import { listObjects, nameOf, namespaceOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { verdictOf } from '../cluster/verdicts.ts';
import { Failure } from '../failure.ts';
import { nearestPod, podNamed, podText } from '../onlyPod.ts';
import type { Found } from '../output/print.ts';

export async function podsFound(
  cluster: OpenCluster,
  by: {
    readonly name: string | undefined;
    readonly selector: string | undefined;
    readonly now: number;
    /** Called with the problems of objects that could not be read. */
    readonly notRead: (problems: readonly string[]) => void;
  },
): Promise<Found<Pod>> {
  const wanted = by.name === undefined ? undefined : podNamed(by.name, cluster);
  const { namespace } = wanted ?? (cluster.isEverywhere ? {} : cluster);
  const scope = namespace === undefined ? {} : { namespace };
  const picture = await readPicture(cluster, scope);
  const { snapshot } = picture;
  by.notRead(picture.problems);
  await inNamespace(cluster, namespace, snapshot.pods);
  const labelled =
    by.selector === undefined ? undefined : await namesWith(cluster, { ...scope, labelSelector: by.selector });
  const pods = snapshot.pods
    .filter((pod) => (wanted === undefined || pod.name === wanted.name) && (labelled?.has(nameKey(pod)) ?? true))
    .toSorted((a, b) => compareText(nameKey(a), nameKey(b)));
  if (wanted && pods.length === 0)
    throw new Failure(
      `there is no pod ${podText(wanted)} with devices in context ${cluster.context}`,
      nearestPod(wanted, snapshot.pods),
    );
  const devices = (pod: Pod) => devicesOfPod(pod, snapshot).map(deviceText).join(', ');
  const verdict = (pod: Pod) => verdictOf(pod, picture, by.now);
  return {
    items: pods,
    columns: [
      ...(namespace === undefined
        ? [{ name: 'NAMESPACE', of: (pod: Pod) => pod.namespace, isName: true as const }]
        : []),
      { name: 'NAME', of: (pod) => pod.name, isName: true },
      { name: 'NODE', of: (pod) => pod.nodeName ?? '' },
      { name: 'VERDICT', of: (pod) => verdict(pod).word },
      { name: 'DEVICES', of: devices },
      {
        name: 'OWNER',
        wide: true,
        of: ({ controller }) => (controller ? `${controller.kind}/${controller.name}` : ''),
      },
      { name: 'BECAUSE', wide: true, of: (pod) => verdict(pod).text },
    ],
    object: (pod) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: pod.namespace, name: pod.name, uid: pod.uid },
      node: pod.nodeName,
      devices: devicesOfPod(pod, snapshot),
      verdict: verdict(pod).word,
      because: verdict(pod).text,
    }),
    name: (pod) => `pod/${pod.name}`,
    key: nameKey,
    isSingle: wanted !== undefined && pods.length === 1,
    noun: namespace === undefined ? 'pods with devices' : `pods with devices in namespace ${namespace}`,
  };
}

/** The API server evaluates the label selector, so that all operators work. */
async function namesWith(
  cluster: OpenCluster,
  scope: { readonly namespace?: string; readonly labelSelector: string },
): Promise<ReadonlySet<string>> {
  const pods = await listObjects(cluster, podResource, scope);
  return new Set(pods.map((one) => nameKey({ namespace: namespaceOf(one), name: nameOf(one) })));
}
