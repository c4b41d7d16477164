// Reads the row of an object of any kind, and replaces it with the live object. Evaluates nothing.
import { type ClusterId, poolKey } from '../model/identity.ts';
import type { ObjectProjection } from '../model/projection.ts';
import { ruleRef } from '../model/rule.ts';
import type { Key } from '../table.ts';
import { storeClaim } from './claimRows.ts';
import {
  claimRowKey,
  classRowKey,
  namespaceRowKey,
  podRowKey,
  policyRowKey,
  ruleRowKey,
  sliceKey,
  sliceRowKey,
  taintSliceKey,
} from './keys.ts';
import { storeNamespace, storePolicy } from './policyRows.ts';
import { storeRule } from './ruleRows.ts';
import { storeClass } from './ruleSetRows.ts';
import { storeSlice, storeTaintSlice } from './sliceRows.ts';
import { noteStanding } from './standingRows.ts';
import { type ObjectRow, readObjectRow, type State, type Storing } from './state.ts';
import { storePod } from './storePod.ts';

/** The row with the object's name, whatever its UID. */
export async function readRowOf(
  state: State,
  object: ObjectProjection,
): Promise<ObjectRow<ObjectProjection> | undefined> {
  return readObjectRow<ObjectProjection>(await state.table.get(rowKeyOf(state.cluster, object)), object.name);
}

function rowKeyOf(cluster: ClusterId, object: ObjectProjection): Key {
  switch (object.kind) {
    case 'Pod':
      return podRowKey(cluster, `${object.namespace}/${object.name}`);
    case 'ResourceClaim':
      return claimRowKey(cluster, `${object.namespace}/${object.name}`);
    case 'ResourceSlice':
      return sliceRowKey(cluster, sliceKey(object));
    case 'DeviceTaintSlice':
      return sliceRowKey(cluster, taintSliceKey(object));
    case 'DeviceTaintRule':
    case 'PacedTaintRule':
      return ruleRowKey(cluster, ruleRef(object));
    case 'EvictionPolicy':
      return policyRowKey(cluster, object.name);
    case 'Namespace':
      return namespaceRowKey(cluster, object.name);
    case 'DeviceClass':
      return classRowKey(cluster, object.name);
    default:
      return object satisfies never;
  }
}

/** Returns whether the row was written; the row records the evaluations owed to pods. */
export async function replaceRow(state: State, object: ObjectProjection, how: Storing): Promise<boolean> {
  switch (object.kind) {
    case 'Pod':
      return isStored(await storePod(state, object, how));
    case 'ResourceClaim':
      return isStored(await storeClaim(state, object, how));
    case 'ResourceSlice': {
      const stored = await storeSlice(state, object, how);
      await noteStanding(state, poolKey(object.driver, object.pool.name), how.now);
      return isStored(stored);
    }
    case 'DeviceTaintSlice': {
      const stored = await storeTaintSlice(state, object, how);
      await noteStanding(state, poolKey(object.driver, object.pool), how.now);
      return isStored(stored);
    }
    case 'DeviceTaintRule':
    case 'PacedTaintRule':
      return isStored(await storeRule(state, object, how));
    case 'EvictionPolicy':
      return isStored(await storePolicy(state, object, how));
    case 'Namespace':
      return isStored(await storeNamespace(state, object, how));
    case 'DeviceClass':
      return isStored(await storeClass(state, object, how));
    default:
      return object satisfies never;
  }
}

function isStored({ kind }: { readonly kind: 'Stored' | 'Stale' }): boolean {
  return kind === 'Stored';
}
