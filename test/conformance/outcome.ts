// What became of a world in one cluster, in words that two clusters can be compared by.
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { at, isMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { collectionPath } from '../cluster/support/objects.ts';
import type { Place } from './manifests.ts';

export interface PodOutcome {
  /** Terminating or gone, by whomever. */
  readonly deleted: boolean;
  /** `status reason message` of its DisruptionTarget condition. */
  readonly disruption: string;
  /** Unix seconds of its deletion, by the API server's clock. */
  readonly deletedAt?: number;
}

export interface Outcome {
  readonly pods: Readonly<Record<string, PodOutcome>>;
  /** `status reason message` of each rule's EvictionInProgress condition. */
  readonly rules: Readonly<Record<string, string>>;
}

export async function readOutcome(client: ApiClient, place: Place): Promise<Outcome> {
  const [pods, rules] = await Promise.all([
    client.call('GET', `/api/v1/namespaces/${place.name}/pods`),
    client.call('GET', collectionPath({ kind: 'DeviceTaintRule' })),
  ]);
  const mine = listAt(rules.body, 'items').filter((rule) =>
    textAt(rule, 'metadata', 'name')?.startsWith(`${place.name}-`),
  );
  return {
    pods: Object.fromEntries(
      listAt(pods.body, 'items').map((pod) => [textAt(pod, 'metadata', 'name') ?? '', podOutcome(pod)]),
    ),
    rules: Object.fromEntries(
      mine.map((rule) => [textAt(rule, 'metadata', 'name') ?? '', conditionOf(rule, 'EvictionInProgress')]),
    ),
  };
}

function podOutcome(pod: unknown): PodOutcome {
  const deletion = textAt(pod, 'metadata', 'deletionTimestamp');
  return {
    deleted: deletion !== undefined,
    disruption: conditionOf(pod, 'DisruptionTarget'),
    ...(deletion === undefined ? {} : { deletedAt: Date.parse(deletion) / 1000 }),
  };
}

function conditionOf(object: unknown, type: string): string {
  const condition = listAt(object, 'status', 'conditions')
    .filter(isMap)
    .find((one) => one.type === type);
  if (!condition) return 'none';
  const generation = at(condition, 'observedGeneration');
  const isRule = type === 'EvictionInProgress' && typeof generation === 'number' ? ` generation ${generation}` : '';
  return `${condition.status} ${condition.reason} "${condition.message ?? ''}"${isRule}`;
}

/** Seconds by which Sluice may delete a pod before the in-tree controller did, counted from the same step. */
const clockTolerance = 2;

/** What differs, each in one line; `offset` is how much later the second cluster's step began, in seconds. */
export function compareOutcomes(inTree: Outcome, sluice: Outcome): readonly string[] {
  const differences: string[] = [];
  for (const name of new Set([...Object.keys(inTree.pods), ...Object.keys(sluice.pods)])) {
    const [a, b] = [inTree.pods[name], sluice.pods[name]];
    const [shownA, shownB] = [showPod(a), showPod(b)];
    if (shownA !== shownB) differences.push(`${name}: in-tree ${shownA}, Sluice ${shownB}`);
    else if ((b?.deletedAt ?? 0) < (a?.deletedAt ?? 0) - clockTolerance)
      differences.push(
        `${name}: Sluice deleted it ${(a?.deletedAt ?? 0) - (b?.deletedAt ?? 0)} s before the in-tree controller did`,
      );
  }
  for (const name of new Set([...Object.keys(inTree.rules), ...Object.keys(sluice.rules)])) {
    const [a = 'is not there', b = 'is not there'] = [inTree.rules[name], sluice.rules[name]];
    if (a !== b) differences.push(`${name}: in-tree ${a}, Sluice ${b}`);
  }
  return differences;
}

function showPod(pod: PodOutcome | undefined): string {
  return pod === undefined ? 'is not there' : `${pod.deleted ? 'deleted' : 'kept'}, DisruptionTarget ${pod.disruption}`;
}
