// Names of pods on the command line: with a namespace, or searched in all namespaces.
import type { Pod } from '../model/objects.ts';
import type { OpenCluster } from './cluster/open.ts';
import type { Flags } from './definition.ts';
import { Failure, UsageFailure } from './failure.ts';
import { isSet, namespaceFlag, requireName } from './flags.ts';
import { nearestHelp } from './nearest.ts';

/** Throws if several namespaces have a pod of that name. */
export function onlyPod(found: readonly Pod[]): Pod | undefined {
  const [pod, ...others] = found;
  if (pod && others.length > 0)
    throw new Failure(
      `${found.length} namespaces have a pod ${pod.name}: ${found.map(({ namespace }) => namespace).join(', ')}`,
      `specify its namespace: -n ${pod.namespace}`,
    );
  return pod;
}

export interface NamedPod {
  /** Absent: search all namespaces. */
  readonly namespace?: string;
  readonly name: string;
}

const uid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Parses `NAME`, `NAMESPACE/NAME` or a UID, which is searched in all namespaces. */
export function podNamed(
  text: string,
  { namespace, isEverywhere }: Pick<OpenCluster, 'namespace' | 'isEverywhere'>,
): NamedPod {
  const [name = '', own, ...more] = text.split('/').reverse();
  if (more.length > 0) throw new UsageFailure(`${text} is not a pod`, 'write it as NAME or NAMESPACE/NAME');
  if (own !== undefined) return { namespace: requireName(own), name: requireName(name) };
  return { name: requireName(name), ...(isEverywhere || uid.test(name) ? {} : { namespace }) };
}

/** Throws UsageFailure if `NAMESPACE/NAME` and `-n` have different namespaces; -A overrides -n. */
export function refuseOtherNamespace(text: string, flags: Flags): void {
  const [own, name] = text.split('/');
  const asked = isSet(flags, 'allNamespaces') ? undefined : namespaceFlag(flags);
  if (name !== undefined && asked !== undefined && asked !== own)
    throw new UsageFailure(`pod ${text} and -n ${asked} have different namespaces`, 'omit -n');
}

/** `pod NAME` in words, with the namespace if it is known. */
export function podText({ namespace, name }: NamedPod): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Help for a pod that does not exist. */
export function nearestPod({ namespace, name }: NamedPod, pods: readonly Pod[]): string {
  const command = namespace === undefined ? 'sluice get pods -A' : `sluice get pods -n ${namespace}`;
  return nearestHelp(
    name,
    pods.map((one) => one.name),
    command,
  );
}
