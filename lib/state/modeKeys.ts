// Keys of mode plans, of pending shadow decisions and their differences, and of surveys under way.
import type { ClusterId } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import type { Key } from '../table.ts';
import { instantText, shardOf } from './keys.ts';

/** The pods that a source would evict once it is switched on. */
export function modePlanKey(cluster: ClusterId, source: string): Key {
  return { pk: `${cluster}#MODEPLAN`, sk: source };
}

/** Pods in shadow mode, by the time of their comparison. */
export const shadowPartition = (cluster: ClusterId, shard: number) => `${cluster}#SHADOW#${shard}`;

export function shadowKey(cluster: ClusterId, pod: string, check: Instant): Key {
  return { pk: shadowPartition(cluster, shardOf(pod)), sk: `${instantText(check)}#${pod}` };
}

/** Differences of one day (`YYYY-MM-DD`, UTC); operators query them by hand. */
export const differencesPartition = (cluster: ClusterId, day: string) => `${cluster}#DIFFERENCE#${day}`;

/** Walks over the whole cluster that take several invocations. */
export const surveyPartition = (cluster: ClusterId) => `${cluster}#SURVEY`;
