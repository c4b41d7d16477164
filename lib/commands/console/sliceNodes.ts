// Maps devices to nodes by ResourceSlice: spec.nodeName for all devices, or nodeName per device (perDeviceNodeSelection).
import type { Json } from '../../adapters/kubernetes/read.ts';
import { listOf, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { poolKey } from '../../model/identity.ts';
import type { NodeOf } from '../../view/console/fleet.ts';

export interface SliceNodes {
  /** Call for each slice that was listed or changed. */
  readonly note: (slice: Json) => void;
  /** Call for a deleted slice, with its name. */
  readonly forget: (slice: string) => void;
  /** By pool key. */
  readonly of: (pool: string) => NodeOf | undefined;
}

/** Node by device name. */
type Nodes = ReadonlyMap<string, string>;

interface PoolSlices {
  /** By slice name. */
  readonly slices: Map<string, Nodes>;
  /** Absent after a change. */
  nodeOf: NodeOf | undefined;
}

export function createSliceNodes(): SliceNodes {
  const pools = new Map<string, PoolSlices>();
  const poolOfSlice = new Map<string, string>();
  const forget = (slice: string) => {
    const key = poolOfSlice.get(slice) ?? '';
    poolOfSlice.delete(slice);
    const pool = pools.get(key);
    if (!pool?.slices.delete(slice)) return;
    if (pool.slices.size === 0) pools.delete(key);
    else pool.nodeOf = undefined;
  };
  return {
    forget,
    note(slice) {
      const { driver, pool: of } = objectOf(slice.spec);
      const name = textOf(objectOf(slice.metadata).name) ?? '';
      const key = poolKey(textOf(driver) ?? '', textOf(objectOf(of).name) ?? '');
      if (poolOfSlice.get(name) !== key) forget(name);
      const nodes = nodesIn(slice);
      if (nodes.size === 0) return forget(name);
      const pool: PoolSlices = pools.get(key) ?? { slices: new Map(), nodeOf: undefined };
      if (isSame(pool.slices.get(name), nodes)) return;
      pool.slices.set(name, nodes);
      pools.set(key, pool);
      poolOfSlice.set(name, key);
      pool.nodeOf = undefined;
    },
    of(key) {
      const pool = pools.get(key);
      if (pool) pool.nodeOf ??= nodeIn(pool);
      return pool?.nodeOf;
    },
  };
}

function nodeIn({ slices }: PoolSlices): NodeOf {
  const [first = new Map(), ...rest] = slices.values();
  const nodes: Nodes = rest.length === 0 ? first : new Map([first, ...rest].flatMap((one) => [...one]));
  return (device) => nodes.get(device);
}

function nodesIn({ spec }: Json): Nodes {
  const { nodeName, devices } = objectOf(spec);
  return new Map(
    listOf(devices).flatMap((device) => {
      const node = textOf(device.nodeName) ?? textOf(nodeName);
      return node === undefined ? [] : [[textOf(device.name) ?? '', node] as const];
    }),
  );
}

function isSame(a: Nodes | undefined, b: Nodes): boolean {
  return a?.size === b.size && [...b].every(([device, node]) => a.get(device) === node);
}
