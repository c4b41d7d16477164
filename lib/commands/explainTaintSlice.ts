// Explains in sentences what the taints of a DeviceTaintSlice do now.
import { type Json, listOf, numberOf, objectOf, textOf } from '../adapters/kubernetes/read.ts';
import { policyResource, taintSliceResource } from '../adapters/kubernetes/servedVersion.ts';
import { poolKey } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { countText } from '../view/words.ts';
import type { Picture } from './cluster/assemble.ts';
import { findObject, listObjects, nameOf } from './cluster/objects.ts';
import type { OpenCluster } from './cluster/open.ts';
import { requireServed } from './cluster/served.ts';
import { explainSliceTaint, standsIn } from './console/sliceTaints.ts';
import { conditionLines } from './explainRule.ts';
import { Failure } from './failure.ts';
import { nearestHelp } from './nearest.ts';

/** Throws Failure if there is no such slice. */
export async function explainTaintSlice(
  cluster: OpenCluster,
  { name, seen, now }: { readonly name: string; readonly seen: Picture; readonly now: Instant },
): Promise<readonly string[]> {
  await requireServed(cluster, taintSliceResource);
  const slice = await findObject(cluster, taintSliceResource, { name });
  if (!slice) {
    const known = (await listObjects(cluster, taintSliceResource)).map(nameOf);
    throw new Failure(
      `there is no DeviceTaintSlice ${name} in context ${cluster.context}`,
      nearestHelp(name, known, 'kubectl get devicetaintslices'),
    );
  }
  const policies = await listObjects(cluster, policyResource);
  const subject = `DeviceTaintSlice ${name}`;
  const limiters = [...standsIn(seen.snapshot)].flatMap(([limiter, stands]) =>
    stands.some((one) => one.slice === subject) ? [limiter] : [],
  );
  const explain = (limiter: string) => explainSliceTaint(cluster, limiter, { seen: { ...seen, policies }, now });
  const count = listOf(objectOf(slice.spec).taints).length;
  const idle = limiters.length === 0 && count > 0 ? `, and none counts: ${whyIdle(slice, seen)}` : '';
  return [
    `${subject}: has ${countText(count, 'taint')}${idle}`,
    ...conditionLines(slice, now),
    ...(await Promise.all(limiters.map(explain))).flat(),
  ];
}

function whyIdle({ spec }: Json, { snapshot }: Picture): string {
  const { driver, pool, generation } = objectOf(spec);
  const newest = snapshot.pools.get(poolKey(textOf(driver) ?? '', textOf(pool) ?? ''))?.generation;
  const isStale = newest !== undefined && newest > (numberOf(generation) ?? Number.POSITIVE_INFINITY);
  return isStale ? `pool ${textOf(driver)}/${textOf(pool)} has the newer generation ${newest}` : 'it cannot be read';
}
