// `sluice get evictions`: pods that Sluice evicted recently, from the state table or from Events of the cluster.
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { componentName } from '../../contract.ts';
import { evictionEventReason, stopHelp } from '../../decide/eventText.ts';
import { formatInstant, parseInstant } from '../../model/time.ts';
import { readRecentWhere } from '../../state/recentRows.ts';
import type { State } from '../../state/state.ts';
import { lastEvictionOf } from '../../view/lastEviction.ts';
import { eventResource } from '../cluster/events.ts';
import { inNamespace } from '../cluster/namespaces.ts';
import { objectsOf } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import type { Found } from '../output/print.ts';

interface Eviction {
  readonly at: number;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly outcome: string;
  readonly because: string;
}

const day = 24 * 3600 * 1000;

/** Pages of evictions of all namespaces that are read for one list. */
const pagesAtMost = 100;

/** Evictions of the last 24 hours, newest first. */
export async function evictionsOfTable(
  state: State,
  by: {
    readonly now: number;
    readonly namespace: string | undefined;
    readonly limit: number;
    /** Called if there are too many evictions of other namespaces to find all of this one. */
    readonly notRead: (problem: string) => void;
  },
): Promise<Found<Eviction>> {
  const { evictions, readSince } = await readRecentWhere(state, {
    since: by.now - day,
    limit: by.limit,
    pagesAtMost,
    isWanted: ({ pod }) => by.namespace === undefined || pod.namespace === by.namespace,
  });
  if (evictions.length < by.limit && readSince > by.now - day)
    by.notRead(`evictions before ${formatInstant(readSince)}: there are too many since then`);
  const all = evictions.map((one): Eviction => {
    const { pod, node = '', at, outcome, source, taint, device } = lastEvictionOf(one);
    return { at, ...pod, node, outcome, because: [source, taint, device].filter((text) => text !== '').join(' ') };
  });
  return found(all);
}

/** As far back as the cluster keeps Events: one hour by default. */
export async function evictionsOfEvents(
  cluster: OpenCluster,
  by: { readonly namespace: string | undefined; readonly limit: number },
): Promise<Found<Eviction>> {
  const all: Eviction[] = [];
  for await (const event of objectsOf(cluster, eventResource, { namespace: by.namespace })) {
    const eviction = evictionOf(event);
    if (eviction) all.push(eviction);
  }
  await inNamespace(cluster, by.namespace, all);
  return found(all.sort((a, b) => b.at - a.at).slice(0, by.limit));
}

/** Lines about the evictions of a pod that is gone, newest first, as far back as the cluster keeps Events; empty if it has none. */
export async function explainByEvents(
  cluster: OpenCluster,
  pod: { readonly namespace: string | undefined; readonly named: (pod: { name: string; uid: string }) => boolean },
): Promise<readonly string[]> {
  const { items } = await evictionsOfEvents(cluster, { namespace: pod.namespace, limit: Number.POSITIVE_INFINITY });
  return items
    .filter(pod.named)
    .flatMap(({ namespace, name, uid, at, because }) => [
      `${namespace}/${name} (${uid}): evicted at ${formatInstant(at)}, by an Event of the cluster`,
      `  because of ${because}`,
    ]);
}

function evictionOf(event: Json): Eviction | undefined {
  const message = textOf(event.message) ?? '';
  const isOurs = event.reason === evictionEventReason && event.reportingComponent === componentName;
  if (!isOurs || !message.startsWith('Marking for deletion')) return undefined;
  const { namespace, name, uid } = objectOf(event.involvedObject);
  return {
    at: parseInstant(textOf(event.lastTimestamp)) ?? 0,
    namespace: textOf(namespace) ?? '',
    name: textOf(name) ?? '',
    uid: textOf(uid) ?? '',
    node: '',
    outcome: 'evicted',
    because: message.replace(/^Marking for deletion:? ?/, '').replace(stopHelp, ''),
  };
}

function found(items: readonly Eviction[]): Found<Eviction> {
  return {
    items,
    columns: [
      { name: 'TIME', of: ({ at }) => formatInstant(at), isName: true },
      { name: 'NAMESPACE', of: ({ namespace }) => namespace },
      { name: 'POD', of: ({ name }) => name, isName: true },
      { name: 'NODE', wide: true, of: ({ node }) => node },
      { name: 'OUTCOME', of: ({ outcome }) => outcome },
      { name: 'BECAUSE', of: ({ because }) => because },
    ],
    object: ({ at, ...rest }) => ({ kind: 'Eviction', at: new Date(at).toISOString(), ...rest }),
    name: ({ namespace, name, uid }) => `eviction/${namespace}/${name}/${uid}`,
    noun: 'evictions',
  };
}
