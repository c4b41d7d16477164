// Devices of the demo cluster at one moment, read from the store of the simulated API server with Sluice's own code.
import { project } from '../../adapters/kubernetes/project.ts';
import { freeIn, takenDevices } from '../../decide/freeDevices.ts';
import { taintRulesOf } from '../../decide/ruleTaints.ts';
import { agentTaintsOf } from '../../decide/taintSlice.ts';
import type { DeviceId } from '../../model/identity.ts';
import type { DeviceClass, DeviceTaint, ResourceClaim, ResourceSlice } from '../../model/objects.ts';
import type { ObjectKind, ObjectProjection } from '../../model/projection.ts';
import { createRecall } from '../../model/recall.ts';
import type { AnyRule } from '../../model/rule.ts';
import { type Snapshot, snapshotOf } from '../../model/snapshot.ts';
import type { DeviceTaintSlice } from '../../model/taintSlice.ts';
import { taintsOfPool } from '../../view/console/deviceTaints.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { KubeObject } from '../cluster/object.ts';

export interface Devices {
  /** Devices for new pods: not allocated, and without a NoSchedule or NoExecute taint. */
  readonly free: readonly DeviceId[];
  /** Keys `driver|pool|device` of devices with a NoSchedule or NoExecute taint. */
  readonly tainted: ReadonlySet<string>;
  /** Those of them with a NoExecute taint. */
  readonly evicting: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

/** Cache of compiled selectors for the next read. */
const recall = createRecall();

/** Cache by object identity: stored objects are never mutated. */
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
  const devices = pools.flatMap((pool) => taintsOfPool(pool, snapshot));
  const withEffect = (...effects: readonly DeviceTaint['effect'][]) =>
    new Set(
      devices.flatMap(({ key, taints }) => (taints.some(({ taint }) => effects.includes(taint.effect)) ? [key] : [])),
    );
  return {
    free: pools.flatMap((pool) => freeIn(pool, { taken, snapshot })),
    tainted: withEffect('NoSchedule', 'NoExecute'),
    evicting: withEffect('NoExecute'),
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

/** An unreadable rule taints no device, for the simulated scheduler as for Sluice. */
function projectionOf(kind: ObjectKind, object: KubeObject): ObjectProjection | 'Unreadable' {
  const read = project(kind, object);
  return read.kind === 'Projected' ? read.object : 'Unreadable';
}
