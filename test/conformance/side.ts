// One history played on one API server: its objects created, its changes made, as scheduler, drivers and users would.
import type { ApiAnswer, ApiClient } from '../../lib/local/cluster/client.ts';
import { at, type JsonMap, textAt } from '../../lib/local/cluster/object.ts';
import { createAll, find, mergePatch, objectPath } from '../cluster/support/objects.ts';
import type { Change, ClaimSpec, ClaimState, History } from './history.ts';
import {
  claimManifest,
  claimStatus,
  type Naming,
  names,
  nodeName,
  podManifest,
  podStatus,
  ruleManifest,
  sliceManifest,
} from './manifests.ts';

/** Without it no claim of the namespace may be allocated a device with admin access. */
const adminAccess = { 'resource.kubernetes.io/admin-access': 'true' };

export interface PlayedHistory {
  /** Everything but the bindings: nothing can be evicted yet. */
  create(): Promise<void>;
  bind(): Promise<void>;
  /** `at`: epoch ms, whole seconds, the same on both sides. */
  change(change: Change, at: number): Promise<void>;
  /** Which pod of that name it is, the first being 0. */
  incarnationOf(uid: string): number;
}

export function playOn(client: ApiClient, history: History, by: { prefix: string; start: number }): PlayedHistory {
  const { prefix, start } = by;
  const { world } = history;
  const naming = (change: number): Naming => ({ prefix, start, change });
  /** UIDs of each pod, the latest last; no pod where the name is free now. */
  const uids: string[][] = world.pods.map(() => []);
  const present = new Set<number>();
  const bound = new Set<number>();
  const claims: (ClaimState | undefined)[] = [...world.claims];
  const uidOf = (pod: number) => uids[pod]?.at(-1) ?? `none-${pod}`;
  const podSpec = (of: number) => world.pods[of] ?? { references: [], bound: false };
  const claimSpec = (of: number): ClaimSpec => world.claims[of] ?? { reservedFor: [] };

  const createPod = async (of: number) => {
    const [created] = await createAll(client, [podManifest(of, podSpec(of), prefix)]);
    uids[of]?.push(textAt(created, 'metadata', 'uid') ?? '');
    present.add(of);
    bound.delete(of);
    const status = podStatus(podSpec(of));
    if (created && status) await mergePatch(client, created, { status }, 'status');
  };
  const bindPod = async (of: number) => {
    if (!present.has(of) || bound.has(of)) return;
    const pod = podManifest(of, podSpec(of), prefix);
    const target = { apiVersion: 'v1', kind: 'Node', name: nodeName };
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: pod.metadata, target };
    await ok(client, 'POST', `${objectPath(pod)}/binding`, body);
    bound.add(of);
  };
  const deletePod = async (of: number, gracePeriodSeconds?: number) => {
    if (!present.has(of)) return;
    const body = { ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }) };
    await ok(client, 'DELETE', objectPath(podManifest(of, podSpec(of), prefix)), body);
    // Without a node there is no kubelet to wait for.
    if (gracePeriodSeconds === 0 || !bound.has(of)) present.delete(of);
  };
  const claimAt = (of: number) => claimManifest(of, claimSpec(of), { prefix, uidOf });
  const writeClaim = async (of: number, state: ClaimState) => {
    const before = claims[of];
    if (!before) return;
    // An allocation cannot be changed, only taken back.
    const next = before.results && state.results ? { ...state, results: before.results } : state;
    claims[of] = next;
    await mergePatch(client, claimAt(of), { status: claimStatus(next, { prefix, uidOf }) }, 'status');
  };
  const createClaim = async (of: number, state: ClaimState) => {
    await createAll(client, [claimAt(of)]);
    claims[of] = { reservedFor: [] };
    if (state.results) await writeClaim(of, state);
  };
  const put = async (manifest: JsonMap) => {
    for (let tries = 0; tries < 100; tries++) {
      const current = await find(client, manifest);
      if (!current) return void (await createAll(client, [manifest]));
      const resourceVersion = at(current, 'metadata', 'resourceVersion');
      const body = { ...manifest, metadata: { ...(manifest.metadata as JsonMap), resourceVersion } };
      const answer = await client.call('PUT', objectPath(manifest), { body });
      // A controller wrote a condition in between.
      if (answer.status === 409) continue;
      if (answer.status !== 200) throw refused('PUT', objectPath(manifest), answer);
      return;
    }
    throw new Error(`${objectPath(manifest)} moved under a hundred writes`);
  };
  const removeNamed = (kind: string, name: string, namespace?: string) =>
    ok(client, 'DELETE', objectPath({ kind, metadata: { name, namespace } }), {}, 404);

  return {
    async create() {
      const namespaces = [0, 3].map((of) => names.namespace(prefix, of));
      await createAll(
        client,
        namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: adminAccess } })),
      );
      for (const of of world.pods.keys()) await createPod(of);
      for (const [of, claim] of world.claims.entries()) await createClaim(of, claim);
      const slices = world.slices.flatMap((slice, of) => (slice ? [sliceManifest(of, slice, naming(start))] : []));
      const rules = world.rules.flatMap((rule, of) => (rule ? [ruleManifest(of, rule, naming(start))] : []));
      await createAll(client, [...slices, ...rules]);
    },
    async bind() {
      for (const [of, pod] of world.pods.entries()) if (pod.bound) await bindPod(of);
    },
    async change(change, changedAt) {
      const { of } = change;
      switch (change.kind) {
        case 'Slice':
          if (change.spec) return put(sliceManifest(of, change.spec, naming(changedAt)));
          return removeNamed('ResourceSlice', names.slice(prefix, of));
        case 'Rule':
          if (change.spec) return put(ruleManifest(of, change.spec, naming(changedAt)));
          return removeNamed('DeviceTaintRule', names.rule(prefix, of));
        case 'Claim':
          return writeClaim(of, change.state);
        case 'ClaimGone':
        case 'ClaimAgain': {
          await removeNamed('ResourceClaim', names.claim(of), names.namespace(prefix, of));
          claims[of] = undefined;
          return change.kind === 'ClaimAgain' ? createClaim(of, claimSpec(of)) : undefined;
        }
        case 'Bind':
          return bindPod(of);
        case 'PodDeleted':
          return deletePod(of);
        case 'PodAgain':
          await deletePod(of, 0);
          await createPod(of);
          return change.bound ? bindPod(of) : undefined;
        default:
          return change satisfies never;
      }
    },
    incarnationOf: (uid) => uids.map((all) => all.indexOf(uid)).find((index) => index >= 0) ?? -1,
  };
}

async function ok(client: ApiClient, method: string, path: string, body: JsonMap, accepted?: number): Promise<void> {
  const answer = await client.call(method, path, { body });
  if (answer.status >= 300 && answer.status !== accepted) throw refused(method, path, answer);
}

function refused(method: string, path: string, answer: ApiAnswer): Error {
  return new Error(`${method} ${path}: ${answer.status} ${textAt(answer.body, 'message')}`);
}
