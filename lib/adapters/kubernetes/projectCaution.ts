// What an EvictionPolicy asks of taints before they may evict; what its definition refuses is refused here, too.
import type { EvictionPolicy } from '../../model/policy.ts';
import { longestHealthyDelay } from '../../model/standing.ts';
import type { Milliseconds } from '../../model/time.ts';
import { durationOf, type Reader } from './read.ts';

type Caution = { readonly [K in 'minimumAge' | 'healthyDelay']: EvictionPolicy[K] | undefined };

export function cautionOf(spec: Reader): Caution {
  const healthyDelay = timeIn(spec, 'healthyDelay');
  if ((healthyDelay ?? 0) > longestHealthyDelay) spec.problem('healthyDelay is longer than 24h');
  return { minimumAge: timeIn(spec, 'minimumAge'), healthyDelay };
}

function timeIn(reader: Reader, name: string): Milliseconds | undefined {
  const written = reader.optionalText(name);
  const duration = durationOf(written);
  if (written !== undefined && duration === undefined)
    reader.problem(`${name} "${written}" is no duration such as 90m or 8h`);
  return duration;
}
