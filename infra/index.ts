// Public API for CDK apps: `import { Sluice } from 'sluice/construct'` (docs/reference/construct.md).
export type { RunbookEntry } from '../lib/config/runbookEntries.ts';
export type { LogLevel } from '../lib/config/schema.ts';
export type { ChosenSettings } from '../lib/config/settings.ts';
export type { ClusterConnection, Stage as StageName } from '../lib/contract.ts';
export type { MetricName } from '../lib/metrics.ts';
export type { WorkloadIdentity } from '../lib/outputs.ts';
export type { AlarmTargets, AlarmThreshold } from './alarm.ts';
export type { ClusterProps, NetworkProps, SluiceProps, StageLimits } from './props.ts';
export { QueuePair } from './queuePair.ts';
export { Sluice } from './sluice.ts';
export { SluiceStack, type SluiceStackProps } from './stack.ts';
export { Stage } from './stage.ts';
