// Two real control planes side by side: one whose own controller evicts, one where Sluice does.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { at } from '../../lib/local/cluster/object.ts';
import { type Started, start } from '../../lib/local/start.ts';
import { readHeartbeat } from '../../lib/state/liveness.ts';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../cluster/support/controlPlane.ts';
import { waitFor } from '../cluster/support/waitFor.ts';
import { createPlayer, type Player } from './play.ts';
import type { World } from './world.ts';

export interface Side {
  readonly client: ApiClient;
  /** Resolves when everything that was written before has been dealt with. */
  settled(): Promise<void>;
}

export interface Pair {
  readonly inTree: Side;
  readonly sluice: Side;
  stop(): Promise<void>;
}

/** Throws where a peer cannot be set up. */
export async function startPair(): Promise<Pair> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const plane = async (options: ControlPlaneOptions): Promise<ControlPlane> => {
      const started = await startControlPlane(options);
      stops.push(() => started.stop());
      return started;
    };
    // Nothing else acts in either: what the scheduler and the claim controller would do is in the worlds themselves.
    const first = await plane({ components: ['kcm'], controllers: ['device-taint-eviction-controller'] });
    const second = await plane({ components: [] });
    const sluice = await start({
      kubeconfig: second.kubeconfig,
      executor: 'in-process',
      native: async () => 'own',
      onProgress: () => {},
    });
    stops.push(() => sluice.stop());
    await waitFor(async () => readHeartbeat(sluice.installation.state), 60_000);
    return {
      inTree: { client: first.client, settled: markerOf(first.client) },
      sluice: { client: second.client, settled: sluiceSettled(second.client, sluice) },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

let markers = 0;

const markerWorld: World = {
  pools: 1,
  devices: [
    { pool: 0, taints: [{ key: 'example.com/marker', effect: 'NoExecute' }] },
    { pool: 0, taints: [] },
  ],
  claims: [0, 1].map((device) => ({
    allocated: true,
    results: [{ device, tolerations: [], alternative: false }],
    reservedFor: [device],
    stale: false,
  })),
  pods: [0, 1].map((claim) => ({ bound: true, claims: [claim] })),
  rules: [
    { selector: { kind: 'DeviceOfDriver', device: 1 }, taint: { key: 'example.com/marker', effect: 'NoExecute' } },
  ],
  history: [],
};

/** A pod tainted by its slice and one by a rule, written last: when both go, every watch has seen all that was before. */
function markerOf(client: ApiClient): () => Promise<void> {
  return async () => {
    const player: Player = createPlayer(client, { name: `marker-${++markers}` }, markerWorld);
    await player.setUp();
    await player.begin();
    for (const pod of ['pod-0', 'pod-1'])
      await waitFor(async () => {
        const answer = await client.call('GET', `/api/v1/namespaces/${player.place.name}/pods/${pod}`);
        return at(answer.body, 'metadata', 'deletionTimestamp') === undefined ? undefined : true;
      }, 60_000);
    await player.cleanUp();
  };
}

/** Functions work side by side, so their queues have to be empty as well; reports may wait for their throttle. */
function sluiceSettled(client: ApiClient, { installation }: Started): () => Promise<void> {
  const marker = markerOf(client);
  return async () => {
    await marker();
    let quiet = 0;
    for (let asked = 0; quiet < 5 && asked < 600; asked++) {
      const { queues } = installation.aws.stats();
      const busy = Object.values(queues).some(({ ready, inFlight }) => ready + inFlight > 0);
      quiet = busy ? 0 : quiet + 1;
      await sleep(100);
    }
  };
}
