// The wire format of each kind of object, as projected by the watcher.
import * as z from 'zod/mini';
import { instant, name, text, version } from './fields.ts';
import { policyMembers } from './policyMembers.ts';

const meta = { name, uid: name, resourceVersion: version };
const taint = z.object({ key: text, value: z.optional(text), effect: text, timeAdded: z.optional(instant) });
const toleration = z.object({
  key: z.optional(text),
  operator: z.optional(text),
  value: z.optional(text),
  effect: z.optional(text),
  tolerationSeconds: z.optional(z.number()),
});
const consumer = z.object({ apiGroup: z.optional(text), resource: text, name: text, uid: text });
const controller = z.object({ apiVersion: text, kind: text, name: text, uid: text });
const annotations = z.optional(z.record(text, text));
const author = z.optional(z.object({ manager: text, operation: text, at: z.optional(instant) }));

const pod = z.object({
  kind: z.literal('Pod'),
  namespace: name,
  ...meta,
  creationTimestamp: z.optional(instant),
  deletionTimestamp: z.optional(instant),
  nodeName: z.optional(text),
  priority: z.optional(z.number()),
  terminationGracePeriodSeconds: z.optional(z.number()),
  controller: z.optional(controller),
  podGroupName: z.optional(text),
  workloadRef: z.optional(z.object({ name: text, podGroup: text, podGroupReplicaKey: z.optional(text) })),
  resourceClaims: z.array(
    z.object({ name: text, resourceClaimName: z.optional(text), resourceClaimTemplateName: z.optional(text) }),
  ),
  resourceClaimStatuses: z.array(z.object({ name: text, resourceClaimName: z.optional(text) })),
  extendedResourceClaimName: z.optional(text),
  markedBy: z.optional(z.literal('InTree')),
  labels: z.optional(z.record(text, text)),
});

const allocatedDevice = z.object({
  request: text,
  driver: text,
  pool: text,
  device: text,
  deviceClassName: z.optional(text),
  adminAccess: z.optional(z.boolean()),
  shareID: z.optional(text),
  tolerations: z.optional(z.array(toleration)),
});

const claim = z.object({
  kind: z.literal('ResourceClaim'),
  namespace: name,
  ...meta,
  controller: z.optional(controller),
  reservedFor: z.array(consumer),
  allocation: z.optional(z.object({ devices: z.array(allocatedDevice), reservedForAnyPod: z.optional(z.boolean()) })),
  specReservedFor: z.optional(consumer),
  annotations,
});

const device = z.object({
  name: text,
  taints: z.optional(z.array(taint)),
  // The CEL code validates each value when it reads it.
  attributes: z.optional(z.record(text, z.looseObject({}))),
  capacity: z.optional(z.record(text, z.looseObject({}))),
  allowMultipleAllocations: z.optional(z.boolean()),
  isStripped: z.optional(z.literal(true)),
});

const slice = z.object({
  kind: z.literal('ResourceSlice'),
  ...meta,
  driver: text,
  pool: z.object({ name: text, generation: z.number() }),
  devices: z.array(device),
  author,
});

const rule = z.object({
  kind: z.literal('DeviceTaintRule'),
  ...meta,
  generation: z.number(),
  deviceSelector: z.optional(z.object({ driver: z.optional(text), pool: z.optional(text), device: z.optional(text) })),
  taint,
  projectedFrom: z.optional(text),
  author,
  annotations,
});

const existingTaint = z.strictObject({
  key: text,
  value: z.optional(text),
  effect: z.optional(text),
  minAge: z.optional(z.number()),
});

const labelRequirement = z.strictObject({ key: text, operator: text, values: z.array(text) });

const pacedTaint = z.extend(taint, {
  evictionsPerSecond: z.optional(z.number()),
  burst: z.optional(z.number()),
  description: z.optional(text),
});

const seenTaint = z.object({ key: text, effect: text, timeAdded: instant, specTimeAdded: z.optional(instant) });

// Strict where an unknown field would narrow the selection.
const pacedRule = z.object({
  kind: z.literal('PacedTaintRule'),
  ...meta,
  generation: z.number(),
  creationTimestamp: z.optional(instant),
  deviceSelector: z.optional(
    z.strictObject({
      all: z.optional(z.literal(true)),
      driver: z.optional(text),
      pool: z.optional(text),
      device: z.optional(text),
      deviceClassName: z.optional(text),
      selectors: z.optional(z.array(text)),
      deviceTaints: z.optional(z.array(existingTaint)),
    }),
  ),
  taints: z.array(pacedTaint),
  priority: z.optional(z.number()),
  pods: z.optional(
    z.strictObject({
      namespaces: z.optional(z.array(text)),
      labels: z.optional(z.array(labelRequirement)),
      maxPriority: z.optional(z.number()),
    }),
  ),
  paused: z.optional(z.literal(true)),
  expiresAt: z.optional(text),
  seen: z.array(seenTaint),
  author,
  annotations,
});

const taintSlice = z.object({
  kind: z.literal('DeviceTaintSlice'),
  ...meta,
  generation: z.number(),
  driver: text,
  pool: text,
  poolGeneration: z.optional(z.number()),
  author,
  counts: z.optional(z.object({ staleEntries: z.number(), unknownDevices: z.number() })),
  taints: z.array(z.object({ device: text, taint: pacedTaint })),
  seen: z.array(z.extend(seenTaint, { device: text })),
});

const policy = z.object({ kind: z.literal('EvictionPolicy'), ...meta, ...policyMembers });

const deviceClass = z.object({ kind: z.literal('DeviceClass'), ...meta, selectors: z.array(text) });

const namespace = z.object({
  kind: z.literal('Namespace'),
  ...meta,
  labels: z.optional(z.record(text, text)),
  annotations: z.optional(z.record(text, text)),
});

export const object = z.discriminatedUnion('kind', [
  pod,
  claim,
  slice,
  rule,
  pacedRule,
  taintSlice,
  policy,
  deviceClass,
  namespace,
]);
