// Resolves a pod name that was searched in all namespaces.
import type { Pod } from '../model/objects.ts';
import { Failure } from './failure.ts';

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
