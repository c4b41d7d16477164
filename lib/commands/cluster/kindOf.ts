// The kind of a resource, which list items of the API server lack.
import type { Resource } from '../../adapters/kubernetes/servedVersion.ts';

const kinds: Readonly<Record<string, string>> = {
  pods: 'Pod',
  namespaces: 'Namespace',
  nodes: 'Node',
  events: 'Event',
  devicetaintrules: 'DeviceTaintRule',
  pacedtaintrules: 'PacedTaintRule',
  evictionpolicies: 'EvictionPolicy',
  evictionstops: 'EvictionStop',
  devicetaintslices: 'DeviceTaintSlice',
  resourceslices: 'ResourceSlice',
  resourceclaims: 'ResourceClaim',
  deviceclasses: 'DeviceClass',
};

export function kindOf({ name }: Pick<Resource, 'name'>): string {
  return kinds[name] ?? name;
}
