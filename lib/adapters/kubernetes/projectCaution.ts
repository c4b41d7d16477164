// Reads an EvictionPolicy's requirements on taints (age, observer, loops), with the same validation as the CRD.
import type { EvictionPolicy, ObserverLimits } from '../../model/policy.ts';
import { longestHealthyDelay } from '../../model/standing.ts';
import type { Milliseconds } from '../../model/time.ts';
import type { Reader } from './read.ts';

type Caution = {
  readonly [K in 'minimumAge' | 'healthyDelay' | 'observer' | 'loopLimit' | 'loopWindow']:
    | EvictionPolicy[K]
    | undefined;
};

export function cautionOf(spec: Reader): Caution {
  const healthyDelay = spec.optionalDuration('healthyDelay');
  if ((healthyDelay ?? 0) > longestHealthyDelay) spec.problem('healthyDelay is longer than 24h');
  return {
    minimumAge: spec.optionalDuration('minimumAge'),
    healthyDelay,
    observer: observerOf(spec.object('observer')),
    loopLimit: spec.members.loopLimit === undefined ? undefined : wholeIn(spec, 'loopLimit', { least: 0, most: 100 }),
    loopWindow: loopWindowOf(spec),
  };
}

function observerOf(observer: Reader | undefined): ObserverLimits | undefined {
  return (
    observer && {
      minDevices: wholeIn(observer, 'minDevices', { least: 1, usual: 8 }),
      percent: wholeIn(observer, 'percent', { least: 1, most: 100, usual: 80 }),
      window: observer.optionalDuration('window') ?? 60_000,
    }
  );
}

function loopWindowOf(spec: Reader): Milliseconds | undefined {
  const window = spec.optionalDuration('loopWindow');
  if (window === 0) spec.problem('loopWindow is no time at all: set loopLimit to 0 for no limit');
  return window;
}

function wholeIn(
  reader: Reader,
  name: string,
  {
    least,
    most = Number.MAX_SAFE_INTEGER,
    usual = least,
  }: { readonly least: number; readonly most?: number; readonly usual?: number },
): number {
  const value = reader.optionalNumber(name) ?? usual;
  if (!Number.isInteger(value) || value < least || value > most) {
    const range = most < Number.MAX_SAFE_INTEGER ? `from ${least} to ${most}` : `from ${least} on`;
    reader.problem(`${name} ${value} is no whole number ${range}`);
  }
  return value;
}
