// What the object of an action is, and how many pods the action concerns.
import type { Json } from '../../adapters/kubernetes/read.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { ActionRequest } from '../../view/console/act.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { requireNamespace } from '../cluster/namespaces.ts';
import { Failure } from '../failure.ts';
import { requirePolicy } from '../get/policies.ts';
import { requireRule } from '../get/rules.ts';
import type { Acting } from './acting.ts';
import { countedIn, uncounted } from './counts.ts';

export function liveSubject({ kind, name }: ActionRequest) {
  switch (kind) {
    case 'everything':
      return { kind: 'Stop' } as const;
    case 'rule':
    case 'policy':
    case 'namespace':
      return { kind, name } as const;
    default:
      throw new Failure(`a ${kind} cannot be paused`, 'pause a rule, a policy, a namespace or everything');
  }
}

export function objectOf({ cluster, request }: Acting): Promise<Json> {
  return request.kind === 'policy' ? requirePolicy(cluster, request.name) : requireRule(cluster, request.name);
}

/** The sentence with the number of pods, or that they are not counted yet, and what else is to know. */
export async function effectOf(
  acting: Acting,
  sentence: (snapshot: Snapshot) => string,
  more: readonly string[] = [],
): Promise<Pick<Preview, 'effect' | 'isUncounted'>> {
  const object = await requireSubject(acting);
  const unknown = uncounted(acting);
  if (unknown !== undefined) return { effect: [unknown, ...more], isUncounted: true };
  return { effect: [sentence(await countedIn(acting, object)), ...more] };
}

/** The object to pause or resume; absent for the whole cluster. Throws if it does not exist. */
export async function requireSubject(acting: Acting): Promise<Json | undefined> {
  const { request, cluster } = acting;
  if (request.kind === 'rule' || request.kind === 'policy') return objectOf(acting);
  return request.kind === 'namespace' ? requireNamespace(cluster, request.name) : undefined;
}
