// Plays many histories side by side on two API servers, change by change, and compares both at rest.
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { textAt } from '../../lib/local/cluster/object.ts';
import type { Settings } from '../../lib/model/snapshot.ts';
import type { ControlPlane } from '../cluster/support/controlPlane.ts';
import { cleanUp } from './cleanUp.ts';
import { type Difference, differencesOf, type Judged, judge } from './compare.ts';
import type { History } from './history.ts';
import { createMarker, type Marker } from './marker.ts';
import { evictedOf, type Listed, listAll, observe, type SeenBy } from './observe.ts';
import { type PlayedHistory, playOn } from './side.ts';
import { type RunningSluice, startSluice } from './sluice.ts';

export interface Peers {
  /** kube-controller-manager evicts here. */
  readonly inTree: ControlPlane;
  readonly sluice: ControlPlane;
}

export interface Outcome extends Judged {
  readonly history: History;
  readonly pods: number;
  readonly evicted: number;
  /** What Sluice logged meanwhile, for all histories of the batch. */
  readonly problems: readonly string[];
}

export interface BatchOptions {
  readonly peers: Peers;
  readonly histories: readonly History[];
  readonly settings: Settings;
}

/** Upstream writes a changed condition ten seconds after what changed it, and once more ten seconds after the last write. */
const conditionDelay = 12_000;
/** At rest both sides are equal; where they are not yet, a loaded machine is given this long. */
const patience = { change: 10_000, end: 25_000 };

interface Case {
  readonly history: History;
  readonly prefix: string;
  readonly inTree: PlayedHistory;
  readonly sluice: PlayedHistory;
  differences: readonly Difference[];
}

let batches = 0;

export async function playBatch({ peers, histories, settings }: BatchOptions): Promise<readonly Outcome[]> {
  const batch = `b${batches++}`;
  const start = Math.floor(Date.now() / 1000) * 1000;
  const clients = [peers.inTree.client, peers.sluice.client] as const;
  const cases: Case[] = histories.map((history, i) => {
    const prefix = `${batch}-${i}`;
    const [inTree, sluice] = clients.map((client) => playOn(client, history, { prefix, start }));
    if (!inTree || !sluice) throw new Error('two sides');
    return { history, prefix, inTree, sluice, differences: [] };
  });
  const sluice = await startSluice({ kubeconfig: peers.sluice.kubeconfig, cluster: `conformance-${batch}`, settings });
  try {
    const play = await createPlay({ clients, batch, cases, sluice, settings });
    await play.phase('creation', (one) => one.create());
    await play.phase('binding', (one) => one.bind());
    const longest = Math.max(...histories.map(({ changes }) => changes.length));
    for (let i = 0; i < longest; i++) {
      const at = Math.floor(Date.now() / 1000) * 1000;
      await play.phase(`change ${i}`, async (one, { history }) => {
        const change = history.changes[i];
        if (change) await one.change(change, at);
      });
    }
    await new Promise((resolve) => setTimeout(resolve, conditionDelay));
    const last = await play.compare('end', patience.end);
    return cases.map((one) => outcomeOf(one, last, sluice.problems));
  } finally {
    await sluice.stop();
    await Promise.all(clients.map((client) => cleanUp(client, batch)));
  }
}

interface Play {
  phase(when: string, act: (side: PlayedHistory, of: Case) => Promise<void>): Promise<void>;
  compare(when: string, upTo: number): Promise<Listed>;
}

async function createPlay(by: {
  readonly clients: readonly [ApiClient, ApiClient];
  readonly batch: string;
  readonly cases: readonly Case[];
  readonly sluice: RunningSluice;
  readonly settings: Settings;
}): Promise<Play> {
  const { clients, batch, cases, sluice, settings } = by;
  const space = `${batch}-marker`;
  await Promise.all(
    clients.map((client) =>
      client.call('POST', '/api/v1/namespaces', {
        body: { metadata: { name: space }, kind: 'Namespace', apiVersion: 'v1' },
      }),
    ),
  );
  const known = new Set<string>();
  let phases = 0;
  const mark = (client: ApiClient) => createMarker(client, space, `m${phases}`);
  const compare = async (when: string, upTo: number): Promise<Listed> => {
    const until = Date.now() + upTo;
    for (;;) {
      const [inTree, ours] = await Promise.all([listAll(clients[0]), listAll(clients[1])]);
      const found = cases.map((one) => differencesAt(one, when, { inTree, ours, settings, known }));
      if (found.some(isOpen) && Date.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        continue;
      }
      for (const { one, differences } of found) one.differences = [...one.differences, ...differences];
      for (const uid of [...evictedOf(inTree), ...evictedOf(ours)]) known.add(uid);
      return ours;
    }
  };
  return {
    compare,
    async phase(when, act) {
      const markers: readonly Marker[] = await Promise.all(clients.map(mark));
      phases++;
      await Promise.all(cases.flatMap((one) => [act(one.inTree, one), act(one.sluice, one)]));
      await Promise.all(markers.map((marker) => marker.rest()));
      while (!sluice.isIdle()) await new Promise((resolve) => setTimeout(resolve, 20));
      await compare(when, patience.change);
    },
  };
}

interface Found {
  readonly one: Case;
  readonly differences: readonly Difference[];
}

function isOpen({ one, differences }: Found): boolean {
  return judge(differences, one.history).undeclared.length > 0;
}

/** The first undeclared difference of a history is its difference: what follows may be its consequence. */
function differencesAt(
  one: Case,
  when: string,
  by: Pick<SeenBy, 'settings' | 'known'> & { readonly inTree: Listed; readonly ours: Listed },
): Found {
  if (judge(one.differences, one.history).undeclared.length > 0) return { one, differences: [] };
  const seen = (listed: Listed, { incarnationOf }: PlayedHistory) =>
    observe(listed, { prefix: one.prefix, settings: by.settings, known: by.known, incarnationOf });
  const sides = { inTree: seen(by.inTree, one.inTree), sluice: seen(by.ours, one.sluice) };
  const conditions = conditionsOf(one, when, Object.keys(sides.inTree.conditions));
  return { one, differences: differencesOf(sides, { when, conditions }) };
}

/** Conditions follow pods seconds later; only a preview, counted at the moment of the rule's change, is compared then. */
function conditionsOf({ history }: Case, when: string, all: readonly string[]): readonly string[] {
  if (when === 'end') return all;
  const change = history.changes[Number(/^change (\d+)$/.exec(when)?.[1] ?? -1)];
  return change?.kind === 'Rule' && change.spec?.taint.effect === 'None' ? [`r${change.of}`] : [];
}

function outcomeOf(one: Case, listed: Listed, problems: readonly string[]): Outcome {
  const mine = listed.pods.filter((pod) => textAt(pod, 'metadata', 'namespace')?.startsWith(`${one.prefix}-`));
  const evicted = new Set(evictedOf({ ...listed, pods: mine }));
  return {
    ...judge(one.differences, one.history),
    history: one.history,
    pods: mine.length,
    evicted: evicted.size,
    problems,
  };
}
