// Bound pods with allocated claims as scheduler and claim controller would write them, where neither runs.
import { pod, resourceClaim } from '../../../lib/local/cluster/builders.ts';
import { type JsonMap, textAt } from '../../../lib/local/cluster/object.ts';
import type { ControlPlane } from './controlPlane.ts';
import { createAll, find, mergePatch } from './objects.ts';

export const driver = 'gpu.example.com';
const namespace = 'default';
const extendedResource = 'example.com/gpu';

export interface UserSpec {
  /** Of the pod, of its claim and of its device. */
  readonly name: string;
  /** Who the claim is reserved for; the pod by default. */
  readonly reservedFor?: readonly JsonMap[];
  readonly tolerations?: readonly JsonMap[];
  readonly podGroup?: string;
  /** The claim is that of an extended resource of its container. */
  readonly isExtended?: boolean;
  /** Of its device; `node-1` by default. */
  readonly pool?: string;
  /** 1 by default: no kubelet ends the pod, so it stays terminating. With 0 it is gone at once. */
  readonly graceSeconds?: number;
}

export const userOf = (name: string, graceSeconds = 1) =>
  pod({ name, namespace, claim: name, node: 'node-1', graceSeconds });
export const claimOf = (name: string) => resourceClaim({ name, namespace, deviceClass: 'gpu' });

/** A pod on `node-1` that uses the device of its name. */
export async function createUser({ client }: Pick<ControlPlane, 'client'>, of: UserSpec): Promise<void> {
  const { name, isExtended = false } = of;
  const manifest = isExtended ? extendedUser(name) : userOf(name, of.graceSeconds);
  const grouped = of.podGroup === undefined ? {} : { schedulingGroup: { podGroupName: of.podGroup } };
  const [created = {}] = await createAll(client, [
    { ...manifest, spec: { ...(manifest.spec as JsonMap), ...grouped } },
  ]);
  const uid = textAt(created, 'metadata', 'uid') ?? '';
  const owner = { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true };
  const claim = claimOf(name);
  const metadata = { ...(claim.metadata as JsonMap), ...(isExtended && { ownerReferences: [owner] }) };
  await createAll(client, [{ ...claim, metadata }]);
  const tolerations = of.tolerations ?? [];
  const { pool = 'node-1' } = of;
  const results = [{ request: 'device', driver, pool, device: name, ...(tolerations.length > 0 && { tolerations }) }];
  const reservedFor = of.reservedFor ?? [{ resource: 'pods', name, uid }];
  await mergePatch(client, claim, { status: { reservedFor, allocation: { devices: { results } } } }, 'status');
  if (!isExtended) return;
  const requestMappings = [{ containerName: 'main', resourceName: extendedResource, requestName: 'device' }];
  const status = { extendedResourceClaimStatus: { resourceClaimName: name, requestMappings } };
  await mergePatch(client, created, { status }, 'status');
}

function extendedUser(name: string): JsonMap {
  const base = pod({ name, namespace, node: 'node-1', graceSeconds: 1 });
  const resources = { requests: { [extendedResource]: '1' }, limits: { [extendedResource]: '1' } };
  return {
    ...base,
    spec: { ...(base.spec as JsonMap), containers: [{ name: 'main', image: 'example.com/main', resources }] },
  };
}

export async function isGoing({ client }: Pick<ControlPlane, 'client'>, name: string): Promise<boolean> {
  const found = await find(client, userOf(name));
  return found === undefined || textAt(found, 'metadata', 'deletionTimestamp') !== undefined;
}
