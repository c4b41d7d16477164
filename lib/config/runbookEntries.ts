// Runbook entries of the alarms with their usual thresholds; sluice.yaml sets others under these names.
import { sqsLimits } from '../contract.ts';

/** Anchors of headings in docs/runbook.md; a test checks that each exists and belongs to an alarm. */
export const runbookEntries = [
  'messages-wait',
  'dead-letters',
  'poison-messages',
  'function-errors',
  'sweep-silent',
  'watcher-silent',
  'evictions-refused',
  'clusters-under-one-name',
  'revision-went-back',
  'tokens-dropped',
  'leases-taken-over',
  'intents-open',
  'objects-outstanding',
  'mirror-drift',
  'table-throttled',
] as const;
export type RunbookEntry = (typeof runbookEntries)[number];

export interface UsualThreshold {
  readonly threshold: number;
  /** Consecutive periods, of one minute unless the metric has longer ones. */
  readonly minutes: number;
  /** For messages to evict, which stay in the queue on purpose until a pod is due. */
  readonly ofEvict?: number;
}

const once = { threshold: 1, minutes: 1 };
const forThreeMinutes = { threshold: 1, minutes: 3 };
const forFiveMinutes = { threshold: 1, minutes: 5 };

export const usualThresholds: Readonly<Record<RunbookEntry, UsualThreshold>> = {
  'messages-wait': { threshold: 300, minutes: 3, ofEvict: 300 + sqsLimits.maxDelaySeconds },
  'dead-letters': once,
  'poison-messages': once,
  'function-errors': forThreeMinutes,
  'sweep-silent': forFiveMinutes,
  'watcher-silent': forFiveMinutes,
  'evictions-refused': once,
  'clusters-under-one-name': once,
  'revision-went-back': once,
  'tokens-dropped': { threshold: 100, minutes: 2 },
  'leases-taken-over': forThreeMinutes,
  'intents-open': forThreeMinutes,
  'objects-outstanding': once,
  'mirror-drift': { threshold: 5, minutes: 3 },
  'table-throttled': forThreeMinutes,
};
