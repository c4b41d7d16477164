// The wire format of an EvictionPolicy's spec.
import * as z from 'zod/mini';

const text = z.string();
const atOnce = z.union([z.strictObject({ count: z.number() }), z.strictObject({ percent: z.number() })]);

export const policyMembers = {
  generation: z.number(),
  taints: z.strictObject({
    keys: z.optional(z.array(text)),
    drivers: z.optional(z.array(text)),
    sources: z.optional(z.array(z.enum(['DeviceTaintRule', 'PacedTaintRule', 'ResourceSlice', 'DeviceTaintSlice']))),
  }),
  evictionsPerSecond: z.optional(z.number()),
  burst: z.optional(z.number()),
  maxEvictionsPerSecond: z.optional(z.number()),
  paused: z.optional(z.literal(true)),
  pauseOnly: z.optional(z.literal(true)),
  windows: z.optional(z.array(z.object({ schedule: text, duration: z.number(), timeZone: z.optional(text) }))),
  canary: z.optional(z.strictObject({ pods: z.number(), hold: z.number() })),
  limits: z.optional(
    z.strictObject({
      maxPods: z.optional(z.number()),
      maxNamespaces: z.optional(z.number()),
      maxPercent: z.optional(z.number()),
      maxPerNode: z.optional(atOnce),
      maxPerWorkload: z.optional(atOnce),
      maxPerPool: z.optional(atOnce),
    }),
  ),
  approval: z.optional(z.literal('Required')),
  minimumAge: z.optional(z.number()),
  healthyDelay: z.optional(z.number()),
  loopLimit: z.optional(z.number()),
  loopWindow: z.optional(z.number()),
  observer: z.optional(z.object({ minDevices: z.number(), percent: z.number(), window: z.number() })),
  annotations: z.optional(z.record(text, text)),
  mode: z.optional(z.enum(['Delete', 'Evict', 'WaitForCompletion', 'Skip'])),
  modeDeadline: z.optional(z.number()),
  gracePeriodSeconds: z.optional(z.number()),
  order: z.optional(z.enum(['PriorityThenAge', 'DueTime'])),
  groupBy: z.optional(z.enum(['Workload', 'Replica'])),
  unreadable: z.optional(text),
};
