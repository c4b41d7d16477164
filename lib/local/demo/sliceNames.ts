// Names the DeviceTaintSlices of a taint that has evicted no pod yet, so that the terminal says what the page says.
import { taintText } from '../../decide/taintText.ts';
import type { ClusterProgress, LimiterProgress } from '../../view/progress.ts';
import { type KubeObject, listAt, mapAt, textAt } from '../cluster/object.ts';

/** The same numbers; a taint that no DeviceTaintSlice has keeps its place. */
export function withSliceNames(progress: ClusterProgress, slices: readonly KubeObject[]): ClusterProgress {
  return { ...progress, limiters: progress.limiters.map((limiter) => named(limiter, slices)) };
}

function named(limiter: LimiterProgress, slices: readonly KubeObject[]): LimiterProgress {
  if (limiter.kind !== 'Slice' || limiter.lastEvictionAt !== undefined) return limiter;
  const names = slices.filter((slice) => has(slice, limiter)).map(({ metadata }) => metadata.name);
  return names.length === 0 ? limiter : { ...limiter, place: `DeviceTaintSlice ${names.join(', ')}` };
}

function has(slice: KubeObject, { name, taint }: LimiterProgress): boolean {
  return (
    textAt(slice, 'spec', 'driver') === name && listAt(slice, 'spec', 'taints').some((one) => textOf(one) === taint)
  );
}

function textOf(entry: unknown): string {
  const taint = mapAt(entry, 'taint');
  const [key = '', value = '', effect = ''] = ['key', 'value', 'effect'].map((field) => textAt(taint, field));
  return taintText({ key, value, effect });
}
