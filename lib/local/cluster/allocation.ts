// Allocation, reservation and status that scheduler and kubelet would write for a pod running on a device.
import type { TolerationSpec } from './builders.ts';
import type { JsonMap } from './object.ts';

export interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly node: string;
  /** Copied into the allocation result, as the scheduler does. */
  readonly tolerations?: readonly TolerationSpec[];
}

export interface Consumer {
  readonly name: string;
  readonly uid: string;
}

/** Status of a claim with one device, reserved for the consumers. */
export function allocatedStatus(device: AllocatedDevice, consumers: readonly Consumer[]): JsonMap {
  const { driver, pool, node, tolerations } = device;
  const result = { request: 'device', driver, pool, device: device.device, ...(tolerations && { tolerations }) };
  const onNode = { key: 'metadata.name', operator: 'In', values: [node] };
  return {
    allocation: {
      devices: { results: [result] },
      nodeSelector: { nodeSelectorTerms: [{ matchFields: [onNode] }] },
    },
    reservedFor: consumers.map(({ name, uid }) => ({ resource: 'pods', name, uid })),
  };
}

/** Status of a running pod; `claim`: the claim generated from the pod's template. */
export function runningStatus(claim?: string): JsonMap {
  return {
    phase: 'Running',
    qosClass: 'BestEffort',
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'PodScheduled', status: 'True' },
    ],
    ...(claim !== undefined && { resourceClaimStatuses: [{ name: 'device', resourceClaimName: claim }] }),
  };
}

/** metadata.ownerReferences of a claim that was generated for a pod. */
export function ownedBy(pod: Consumer): readonly JsonMap[] {
  const { name, uid } = pod;
  return [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true }];
}
