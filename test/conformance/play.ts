// Plays one world in one cluster: first all of it, then its history step by step.
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { isMap, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { collectionPath, objectPath } from '../cluster/support/objects.ts';
import {
  allocationOf,
  claimManifest,
  claimOf,
  type Place,
  podManifest,
  podOf,
  poolNumber,
  poolOf,
  ruleManifest,
  ruleOf,
  type SliceState,
  sliceManifest,
} from './manifests.ts';
import type { Step, World, WorldPod } from './world.ts';

export interface Player {
  readonly place: Place;
  readonly world: World;
  /** Statuses of the API server's answers to the steps. */
  readonly answers: number[];
  /** Everything, with no pod bound yet: nobody is evicted while only half of the reasons are there. */
  setUp(): Promise<void>;
  /** Binds the pods that are bound when the history begins. */
  begin(): Promise<void>;
  /** Nothing where the history is over. */
  step(number: number): Promise<void>;
  cleanUp(): Promise<void>;
}

interface State {
  readonly client: ApiClient;
  readonly place: Place;
  readonly world: World;
  readonly slices: Map<number, SliceState>;
  readonly pods: WorldPod[];
  rules: number;
}

export function createPlayer(client: ApiClient, place: Place, world: World): Player {
  const state: State = { client, place, world, slices: new Map(), pods: [...world.pods], rules: world.rules.length };
  const answers: number[] = [];
  return {
    place,
    world,
    answers,
    setUp: () => setUp(state),
    async begin() {
      for (const [number, pod] of world.pods.entries()) if (pod.bound) await must(actOnPod(state, 'Bind', number));
    },
    async step(number) {
      const step = world.history[number];
      if (step) answers.push(...(await play(state, step)));
    },
    cleanUp: () => cleanUp(state),
  };
}

async function setUp(state: State): Promise<void> {
  const { client, place, world } = state;
  await must(
    client.call('POST', '/api/v1/namespaces', {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: place.name } },
    }),
  );
  for (let pool = 0; pool < world.pools; pool++) {
    const devices = world.devices.flatMap(({ taints }, device) =>
      poolNumber(world, device) === pool ? [{ device, taints }] : [],
    );
    state.slices.set(pool, { generation: 1, devices });
    await must(create(client, sliceManifest(place, pool, { generation: 1, devices })));
  }
  for (const [number, pod] of world.pods.entries())
    await must(create(client, podManifest(place, number, { ...pod, bound: false })));
  for (const [number, claim] of world.claims.entries()) {
    await must(create(client, claimManifest(place, number, claim)));
    if (!claim.allocated) continue;
    const known = claim.reservedFor.filter((pod) => pod < world.pods.length);
    const reservedFor = await Promise.all(known.map((pod) => consumerOf(state, pod)));
    const stale = claim.stale
      ? [{ resource: 'pods', name: podOf(0), uid: '00000000-0000-0000-0000-000000000000' }]
      : [];
    // A name may stand there once only where its UID differs.
    await must(
      patchClaim(state, number, {
        allocation: allocationOf(place, claim, world),
        reservedFor: [...reservedFor, ...stale],
      }),
    );
  }
  for (const [number, rule] of world.rules.entries()) await must(create(client, ruleManifest(place, number, rule)));
}

async function play(state: State, step: Step): Promise<readonly number[]> {
  const { client, place, world } = state;
  switch (step.op) {
    case 'Taint': {
      const pool = poolNumber(world, step.device);
      const before = state.slices.get(pool);
      if (!before) return [0];
      const devices = before.devices.map((one) => (one.device === step.device ? { ...one, taints: step.taints } : one));
      return [await publish(state, pool, { ...before, devices })];
    }
    case 'Republish': {
      const before = state.slices.get(step.pool);
      if (!before) return [0];
      const devices = before.devices.filter(({ device }) => !step.without.includes(device));
      return [await publish(state, step.pool, { generation: before.generation + 1, devices })];
    }
    case 'DropSlice': {
      state.slices.delete(step.pool);
      return [
        await status(client.call('DELETE', `${collectionPath({ kind: 'ResourceSlice' })}/${poolOf(place, step.pool)}`)),
      ];
    }
    case 'AddRule':
      return [await status(create(client, ruleManifest(place, state.rules++, step.rule)))];
    case 'EditRule':
      return [
        await status(
          patch(client, rulePath(place, step.rule), { spec: { taint: { ...step.taint, timeAdded: null } } }),
        ),
      ];
    case 'DropRule':
      return [await status(client.call('DELETE', rulePath(place, step.rule)))];
    case 'AddPod': {
      const number = state.pods.push(step.pod) - 1;
      return [await status(create(client, podManifest(place, number, step.pod)))];
    }
    case 'Bind':
    case 'Delete':
      return [await status(actOnPod(state, step.op, step.pod))];
    case 'Allocate':
    case 'Deallocate':
    case 'Reserve':
    case 'Release':
      return [await status(changeClaim(state, step))];
    default:
      return step satisfies never;
  }
}

async function publish(state: State, pool: number, next: SliceState): Promise<number> {
  state.slices.set(pool, next);
  const path = `${collectionPath({ kind: 'ResourceSlice' })}/${poolOf(state.place, pool)}`;
  const { spec } = sliceManifest(state.place, pool, next) as { spec: JsonMap };
  return status(patch(state.client, path, { spec: { pool: spec.pool, devices: spec.devices } }));
}

function actOnPod({ client, place }: State, op: 'Bind' | 'Delete', pod: number) {
  const path = `/api/v1/namespaces/${place.name}/pods/${podOf(pod)}`;
  if (op === 'Delete') return client.call('DELETE', path);
  const target = { apiVersion: 'v1', kind: 'Node', name: 'node-0' };
  const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name: podOf(pod), namespace: place.name }, target };
  return client.call('POST', `${path}/binding`, { body });
}

async function changeClaim(state: State, step: Extract<Step, { readonly claim: number }>) {
  const { world, place, client } = state;
  const claim = world.claims[step.claim];
  const found = await client.call('GET', claimPath(place, step.claim));
  const reserved = listAt(found.body, 'status', 'reservedFor').filter(isMap);
  switch (step.op) {
    case 'Allocate':
      return patchClaim(state, step.claim, { allocation: claim ? allocationOf(place, claim, world) : null });
    case 'Deallocate':
      return patchClaim(state, step.claim, { allocation: null, reservedFor: null });
    case 'Reserve':
      return patchClaim(state, step.claim, { reservedFor: [...reserved, await consumerOf(state, step.pod)] });
    case 'Release':
      return patchClaim(state, step.claim, { reservedFor: reserved.filter(({ name }) => name !== podOf(step.pod)) });
    default:
      return step satisfies never;
  }
}

async function consumerOf({ client, place }: State, pod: number): Promise<JsonMap> {
  const found = await client.call('GET', `/api/v1/namespaces/${place.name}/pods/${podOf(pod)}`);
  return {
    resource: 'pods',
    name: podOf(pod),
    uid: textAt(found.body, 'metadata', 'uid') ?? '00000000-0000-0000-0000-00000000000f',
  };
}

function claimPath(place: Place, claim: number): string {
  return objectPath({ kind: 'ResourceClaim', metadata: { name: claimOf(claim), namespace: place.name } });
}

function rulePath(place: Place, rule: number): string {
  return objectPath({ kind: 'DeviceTaintRule', metadata: { name: ruleOf(place, rule) } });
}

function patchClaim({ client, place }: State, claim: number, changed: JsonMap) {
  return patch(client, `${claimPath(place, claim)}/status`, { status: changed });
}

function patch(client: ApiClient, path: string, body: JsonMap) {
  return client.call('PATCH', path, { body, contentType: 'application/merge-patch+json' });
}

function create(client: ApiClient, manifest: JsonMap) {
  return client.call('POST', collectionPath(manifest), { body: manifest });
}

async function status(answer: Promise<{ readonly status: number }>): Promise<number> {
  return (await answer).status;
}

async function must(answer: Promise<{ readonly status: number; readonly body: JsonMap }>): Promise<void> {
  const { status: code, body } = await answer;
  if (code >= 300) throw new Error(`the world cannot be set up: ${code} ${textAt(body, 'message') ?? ''}`);
}

/** Leaves nothing that another world could meet. */
async function cleanUp({ client, place, slices, rules, pods }: State): Promise<void> {
  await Promise.all(Array.from({ length: rules }, (_, rule) => client.call('DELETE', rulePath(place, rule))));
  for (const pool of slices.keys())
    await client.call('DELETE', `${collectionPath({ kind: 'ResourceSlice' })}/${poolOf(place, pool)}`);
  for (const number of pods.keys()) {
    const path = `/api/v1/namespaces/${place.name}/pods/${podOf(number)}`;
    await client.call('DELETE', path);
    await patch(client, path, { metadata: { finalizers: null } });
  }
  await client.call('DELETE', collectionPath({ kind: 'ResourceClaim', metadata: { namespace: place.name } }));
}
