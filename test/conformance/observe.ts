// What a history shows on one API server: its pods, its rules' conditions, and when its pods were due.
import { project } from '../../lib/adapters/kubernetes/project.ts';
import { evaluatePod } from '../../lib/decide/evaluate.ts';
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { at, isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import type { ObjectKind, ObjectProjection } from '../../lib/model/projection.ts';
import { type Settings, snapshotOf } from '../../lib/model/snapshot.ts';

/** By pod and rule of one history; texts, so that two sides can be compared and printed. */
export interface Seen {
  /** `live`, `deleted`, with which pod of its name it is and its DisruptionTarget condition. */
  readonly pods: Readonly<Record<string, string>>;
  /** `<status> <reason>: <message>`. */
  readonly conditions: Readonly<Record<string, string>>;
  /** Pods that were evicted before they were due. */
  readonly early: readonly string[];
}

/** Every object of the cluster that a history can have, read once for all histories. */
export interface Listed {
  readonly pods: readonly JsonMap[];
  readonly rules: readonly JsonMap[];
  readonly claims: readonly JsonMap[];
  readonly slices: readonly JsonMap[];
}

const resources = '/apis/resource.k8s.io/v1';

export async function listAll(client: ApiClient): Promise<Listed> {
  const list = async (path: string) => {
    const answer = await client.call('GET', path);
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${textAt(answer.body, 'message')}`);
    return listAt(answer.body, 'items').filter(isMap);
  };
  const [pods, rules, claims, slices] = await Promise.all([
    list('/api/v1/pods'),
    list(`${resources}/devicetaintrules`),
    list(`${resources}/resourceclaims`),
    list(`${resources}/resourceslices`),
  ]);
  return { pods, rules, claims, slices };
}

export interface SeenBy {
  readonly prefix: string;
  readonly settings: Settings;
  readonly incarnationOf: (uid: string) => number;
  /** UIDs of pods that had been evicted before the last change: they were due by the state before it. */
  readonly known: ReadonlySet<string>;
}

/** UIDs of the pods that a controller has evicted. */
export function evictedOf(listed: Listed): readonly string[] {
  return listed.pods.filter(isEvicted).map((pod) => textAt(pod, 'metadata', 'uid') ?? '');
}

export function observe(listed: Listed, by: SeenBy): Seen {
  const mine = listed.pods.filter((pod) => textAt(pod, 'metadata', 'namespace')?.startsWith(`${by.prefix}-`));
  const rules = listed.rules.filter((rule) => textAt(rule, 'metadata', 'name')?.startsWith(`${by.prefix}-`));
  const keyOf = (pod: JsonMap) => (textAt(pod, 'metadata', 'name') ?? '').replace(`${by.prefix}-`, '');
  return {
    pods: Object.fromEntries(mine.map((pod) => [keyOf(pod), describePod(pod, by)])),
    conditions: Object.fromEntries(rules.map((rule) => [keyOf(rule), describeCondition(rule)])),
    early: mine.some(isEvicted) ? earlyOf(listed, mine, by) : [],
  };
}

function conditionOf(object: JsonMap, type: string): JsonMap | undefined {
  return listAt(object, 'status', 'conditions')
    .filter(isMap)
    .find((one) => one.type === type);
}

function describePod(pod: JsonMap, by: SeenBy): string {
  const going = at(pod, 'metadata', 'deletionTimestamp') === undefined ? 'live' : 'deleted';
  const disruption = conditionOf(pod, 'DisruptionTarget');
  const said = disruption ? `, ${disruption.status} ${disruption.reason}: ${disruption.message}` : '';
  return `${going} #${by.incarnationOf(textAt(pod, 'metadata', 'uid') ?? '')}${said}`;
}

function describeCondition(rule: JsonMap): string {
  const one = conditionOf(rule, 'EvictionInProgress');
  return one ? `${one.status} ${one.reason}: ${one.message}` : 'none';
}

function isEvicted(pod: JsonMap): boolean {
  return at(pod, 'metadata', 'deletionTimestamp') !== undefined && conditionOf(pod, 'DisruptionTarget') !== undefined;
}

/** Both times are whole seconds: the API server cuts what it writes, and so are all times of the histories. */
function earlyOf(listed: Listed, mine: readonly JsonMap[], by: SeenBy): readonly string[] {
  const parsed = <K extends ObjectKind>(kind: K, objects: readonly JsonMap[]) =>
    objects.flatMap((object) => {
      const found = project(kind, object);
      return found.kind === 'Projected' && found.object.kind === kind
        ? [found.object as Extract<ObjectProjection, { kind: K }>]
        : [];
    });
  const isNew = (pod: JsonMap) => isEvicted(pod) && !by.known.has(textAt(pod, 'metadata', 'uid') ?? '');
  const evicted = mine.filter(isNew).map((pod) => {
    const grace = Number(at(pod, 'metadata', 'deletionGracePeriodSeconds') ?? 0);
    const asked = Date.parse(textAt(pod, 'metadata', 'deletionTimestamp') ?? '') - grace * 1000;
    return { asked, uid: textAt(pod, 'metadata', 'uid') };
  });
  const snapshot = snapshotOf({
    pods: parsed('Pod', mine),
    claims: parsed('ResourceClaim', listed.claims),
    slices: parsed('ResourceSlice', listed.slices),
    rules: parsed('DeviceTaintRule', listed.rules),
    settings: by.settings,
  });
  return snapshot.pods.flatMap(({ deletionTimestamp: _, ...pod }) => {
    const gone = evicted.find(({ uid }) => uid === pod.uid);
    const verdict = evaluatePod(pod, snapshot);
    if (!gone || verdict.kind !== 'EvictAt' || gone.asked >= verdict.at) return [];
    return [`${pod.name} ${(verdict.at - gone.asked) / 1000} s before it was due`];
  });
}
