// `sluice taint` and `sluice drain`: write PacedTaintRules for a device or a node after showing their plan.

import { type Json, listOf, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { sliceResource } from '../../adapters/kubernetes/servedVersion.ts';
import { requireDevice } from '../cluster/devices.ts';
import { listObjects } from '../cluster/objects.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { numberFlag, textFlag } from '../flags.ts';
import { drainKey, parseTaint, placesOfNode, ruleToMake, type WrittenTaint } from '../madeRules.ts';
import { makeRules, writeRules } from '../makeRules.ts';
import { nearestHelp } from '../nearest.ts';

type Asking = Pick<Call, 'args' | 'flags' | 'io'>;

/** Reports usage errors before connecting to a cluster. */
export async function run(call: Call): Promise<number> {
  const asked = askedOf(call);
  return withCluster(call, (cluster) => make(cluster, call, asked));
}

/** Takes the arguments of the verb; returns status 3 for a dry run that would evict a pod. */
export async function taintInCluster(cluster: OpenCluster, call: Asking): Promise<number> {
  return make(cluster, call, askedOf(call));
}

/** Writes the rule without a question; returns what was written, and how many pods will be evicted. */
export async function writeTaint(cluster: OpenCluster, call: Asking): Promise<readonly string[]> {
  return writeRules(cluster, await rulesFor(cluster, askedOf(call)), call.io.now());
}

function askedOf(call: Asking) {
  const [verb, kind = '', name = '', text] = call.args;
  const by = verb === 'drain' ? ('drain' as const) : ('taint' as const);
  const taint = by === 'drain' ? drainTaint(call) : taintOf(text ?? '');
  const rate = numberFlag(call.flags, 'rate', { most: 10_000, mostDecimals: 4 });
  const burst = numberFlag(call.flags, 'burst', { least: 1, most: 10_000, isWhole: true });
  return { kind, name, by, taint, rate, burst };
}

async function make(cluster: OpenCluster, call: Asking, asked: ReturnType<typeof askedOf>): Promise<number> {
  return makeRules(cluster, call, await rulesFor(cluster, asked));
}

async function rulesFor(
  cluster: OpenCluster,
  { kind, name, ...asked }: ReturnType<typeof askedOf>,
): Promise<readonly Json[]> {
  const slices = await listObjects(cluster, sliceResource);
  const places = kind === 'node' ? requireNode(cluster, name, slices) : [requirePlace(cluster, name, slices)];
  const subject = `${kind}/${name}`;
  return places.map((place) => ruleToMake({ subject, place, ...asked }));
}

function taintOf(text: string): WrittenTaint {
  const taint = parseTaint(text);
  if (typeof taint === 'string') throw new UsageFailure(taint, 'see: sluice taint --help');
  return taint;
}

function drainTaint({ flags }: Pick<Call, 'flags'>): WrittenTaint {
  return taintOf(`${textFlag(flags, 'key') ?? drainKey}:NoExecute`);
}

function requireNode(cluster: OpenCluster, node: string, slices: readonly Json[]) {
  const places = placesOfNode(node, slices);
  if (places.length > 0) return places;
  const known = [
    ...new Set(
      slices.flatMap(({ spec }) =>
        [objectOf(spec), ...listOf(objectOf(spec).devices)].flatMap(({ nodeName }) => textOf(nodeName) ?? []),
      ),
    ),
  ];
  throw new Failure(
    `no ResourceSlice in context ${cluster.context} publishes devices of node ${node}; nothing was written`,
    nearestHelp(node, known, 'sluice get devices'),
  );
}

/** Throws if no ResourceSlice publishes the device: a misspelt name would silently taint nothing. */
function requirePlace(cluster: OpenCluster, name: string, slices: readonly Json[]) {
  const id = requireDevice(name);
  const known = slices.flatMap(({ spec }) => {
    const { driver, pool, devices } = objectOf(spec);
    const names = Array.isArray(devices) ? devices.map((one) => objectOf(one).name) : [];
    return names.map((device) => `${driver}/${objectOf(pool).name}/${device}`);
  });
  if (known.includes(name)) return id;
  throw new Failure(
    `no ResourceSlice in context ${cluster.context} publishes device ${name}; nothing was written`,
    nearestHelp(name, known, 'sluice get devices'),
  );
}
