// The demo cluster's devices at one moment, read from the simulated API server's store as Sluice would read them.
import { project } from '../../adapters/kubernetes/project.ts';
import { freeIn, takenDevices } from '../../decide/freeDevices.ts';
import { taintedIn } from '../../decide/gauges.ts';
import { taintRulesOf } from '../../decide/ruleTaints.ts';
import { agentTaintsOf } from '../../decide/taintSlice.ts';
import type { DeviceId } from '../../model/identity.ts';
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../model/objects.ts';
import type { ObjectKind, ObjectProjection } from '../../model/projection.ts';
import { createRecall } from '../../model/recall.ts';
import type { AnyRule } from '../../model/rule.ts';
import { type Snapshot, snapshotOf } from '../../model/snapshot.ts';
import type { DeviceTaintSlice } from '../../model/taintSlice.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { KubeObject } from '../cluster/object.ts';

export interface Devices {
  /** Where a new pod could run: held by no claim, and without a taint that keeps pods away. */
  readonly free: readonly DeviceId[];
  /** By `driver|pool|device`. */
  readonly tainted: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

/** What was compiled for one look serves the next. */
const recall = createRecall();

/** Stored objects are never changed in place. */
const projected = new WeakMap<KubeObject, ObjectProjection | 'Unreadable'>();

export function readDevices(cluster: Cluster): Devices {
  const classes = objectsOf<DeviceClass>(cluster, 'deviceclasses', 'DeviceClass');
  const expressions = new Map(classes.map(({ name, selectors }) => [name, selectors]));
  const rules = [
    ...objectsOf<AnyRule>(cluster, 'devicetaintrules', 'DeviceTaintRule'),
    ...objectsOf<AnyRule>(cluster, 'pacedtaintrules', 'PacedTaintRule'),
  ];
  const base = snapshotOf({
    pods: [],
    claims: objectsOf<ResourceClaim>(cluster, 'resourceclaims', 'ResourceClaim'),
    slices: objectsOf<ResourceSlice>(cluster, 'resourceslices', 'ResourceSlice'),
    rules: rules.flatMap((rule) => taintRulesOf(rule, expressions)),
    recall,
  });
  const taintSlices = objectsOf<DeviceTaintSlice>(cluster, 'devicetaintslices', 'DeviceTaintSlice');
  const snapshot: Snapshot = { ...base, agentTaints: agentTaintsOf(taintSlices, base.pools) };
  const taken = takenDevices(snapshot.claims);
  const pools = [...snapshot.pools.values()];
  return {
    free: pools.flatMap((pool) => freeIn(pool, { taken, snapshot })),
    tainted: new Set(pools.flatMap((pool) => taintedIn(pool, snapshot))),
    taken,
  };
}

function objectsOf<T extends ObjectProjection>(cluster: Cluster, plural: string, kind: ObjectKind): readonly T[] {
  return cluster.store.list(cluster.resource(plural)).flatMap((object) => {
    const known = projected.get(object) ?? projectionOf(kind, object);
    projected.set(object, known);
    return known === 'Unreadable' ? [] : [known as T];
  });
}

/** A rule that cannot be read taints nothing, for the simulated scheduler as for Sluice. */
function projectionOf(kind: ObjectKind, object: KubeObject): ObjectProjection | 'Unreadable' {
  const read = project(kind, object);
  return read.kind === 'Projected' ? read.object : 'Unreadable';
}
