// Reads the slices of one pool with the narrowest field selector that the API server supports, never all slices of a cluster.
import type { PoolOfNode } from '../../liveCluster.ts';
import type { ApiClient } from './apiClient.ts';
import { type LiveList, listAll } from './liveLists.ts';
import { numberOf, objectOf, textOf } from './read.ts';
import { rememberServed, sliceResource } from './servedVersion.ts';

export interface PoolReader {
  list(of: PoolOfNode): Promise<LiveList>;
}

/** Field selector `spec.pool.name` exists since Kubernetes 1.37; before, those of the node and of no node, or all of the driver, in pages. */
export function createPoolReader(client: ApiClient): PoolReader {
  const served = rememberServed(client, sliceResource);
  let selectsPools = true;
  const list = (of: PoolOfNode, by: Readonly<Record<string, string>>) =>
    listAll(client, served, {
      subject: `resourceslices of pool ${of.pool} of ${of.driver}`,
      pathOf: (version) => `${sliceResource.group}/${version}/${sliceResource.name}`,
      fieldSelector: Object.entries({ 'spec.driver': of.driver, ...by })
        .map(([field, value]) => `${field}=${escaped(value)}`)
        .join(','),
      keeps: (item) => isOf(of, item),
    });
  /** The node may have an older generation, complete in itself, of a pool whose newest one belongs to no node. */
  const listAround = async (of: PoolOfNode, nodeName: string): Promise<LiveList> => {
    const [mine, anyones] = await Promise.all([
      list(of, { 'spec.nodeName': nodeName }),
      list(of, { 'spec.nodeName': '' }),
    ]);
    if (mine.kind !== 'Listed') return mine;
    if (anyones.kind !== 'Listed') return anyones;
    return { ...mine, items: [...mine.items, ...anyones.items] };
  };
  return {
    async list(of) {
      if (selectsPools) {
        const found = await list(of, { 'spec.pool.name': of.pool });
        if (!isUnknownField(found)) return found;
        selectsPools = false;
      }
      const found = of.nodeName ? await listAround(of, of.nodeName) : undefined;
      return found && (found.kind !== 'Listed' || isWhole(found.items)) ? found : list(of, {});
    },
  };
}

/** Valid names do not contain these characters, but an unreadable object's might. */
function escaped(value: string): string {
  return value.replace(/[\\,=]/g, (sign) => `\\${sign}`);
}

function isUnknownField(found: LiveList): boolean {
  return found.kind === 'Refused' && found.status === 400;
}

function isOf({ driver, pool }: PoolOfNode, item: unknown): boolean {
  const spec = objectOf(objectOf(item).spec);
  return textOf(spec.driver) === driver && textOf(objectOf(spec.pool).name) === pool;
}

/** Whether all slices of the newest generation among them were read: if the pool spans several nodes, it has slices elsewhere. */
function isWhole(items: readonly unknown[]): boolean {
  const pools = items.map((item) => objectOf(objectOf(objectOf(item).spec).pool));
  const generations = pools.map(({ generation }) => numberOf(generation) ?? 0);
  const newest = Math.max(...generations);
  const count = pools.find((_, i) => generations[i] === newest)?.resourceSliceCount;
  return generations.filter((one) => one === newest).length === numberOf(count);
}
