// One object of each mirrored kind, and the same object with other content.
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { aClaim, aClass, aNamespace, aPacedRule, aPod, aRule, aSlice, aTaintSlice } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { start } from './history.ts';

/** One object of each kind, in the order in which they are usually created. */
export function anObjectOfEachKind(): readonly ObjectProjection[] {
  return [
    aClass('class', ['true']),
    aNamespace('default', { labels: { 'sluice.dev/eviction-mode': 'Delete' } }),
    evictionPolicy({ evictionsPerSecond: 0 }),
    aSlice('slice'),
    aTaintSlice('agent', { taints: [] }),
    aClaim('pod', 'gpu-0'),
    aPod('pod'),
    aRule('native', start, { taint: { key: 'e.com/x', effect: 'None' } }),
    aPacedRule('paced', { taints: [] }),
  ];
}

/** The same object with other content. */
export const changed = (object: ObjectProjection): ObjectProjection => {
  switch (object.kind) {
    case 'Pod':
      return { ...object, nodeName: 'node-2' };
    case 'ResourceClaim':
      return { ...object, reservedFor: [] };
    case 'ResourceSlice':
      return { ...object, devices: [{ name: 'gpu-0' }, { name: 'gpu-1' }] };
    case 'DeviceTaintSlice':
      return { ...object, generation: 2, taints: [{ device: 'gpu-0', taint: { key: 'k', effect: 'None' } }] };
    case 'DeviceTaintRule':
      return { ...object, generation: 2, taint: { key: 'other', effect: 'None' } };
    case 'PacedTaintRule':
      return { ...object, generation: 2, priority: 7 };
    case 'EvictionPolicy':
      return { ...object, generation: 2, evictionsPerSecond: 3 };
    case 'DeviceClass':
      return { ...object, selectors: ['false'] };
    case 'Namespace':
      return { ...object, labels: { 'sluice.dev/eviction-mode': 'Evict' } };
    default:
      return object satisfies never;
  }
};

export const eachKind = anObjectOfEachKind().map((object) => [object.kind, object] as const);
