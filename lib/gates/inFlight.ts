// What all limits of evictions in flight have in common: a scope counts its pods from the intent until the pod is gone.
import { type Census, percentOf } from '../decide/census.ts';
import type { AtOnce } from '../model/policy.ts';
import { admitted, type Gate, type PodFacts, type Scope } from './gate.ts';

interface InFlightLimit {
  /** The field of the policy's limits. */
  readonly name: 'maxPerNode' | 'maxPerWorkload' | 'maxPerPool';
  /** The scopes in which the pod counts; none where it counts with none. */
  readonly scopesOf: (pod: Pick<PodFacts, 'pod' | 'ledger'>) => readonly Scope[];
  /** Pods there that use devices, of which a percentage is. */
  readonly podsIn: (census: Census, scope: Scope) => number | undefined;
  readonly words: (scope: Scope) => string;
}

export function inFlightGate({ name, scopesOf, podsIn, words }: InFlightLimit): Gate {
  return {
    name,
    asks(pod, { policy }) {
      const atOnce = policy?.limits?.[name];
      return atOnce ? { scopes: scopesOf(pod), isRelative: 'percent' in atOnce } : {};
    },
    admits(pod, { policy }) {
      if (!policy?.limits?.[name]) return admitted;
      const atOnce = policy.limits[name];
      const mine = scopesOf(pod);
      for (const scope of mine) {
        const others = pod.inFlight(scope);
        if (others.length < mostAtOnce(atOnce, () => pod.census && podsIn(pod.census, scope))) continue;
        const most = 'count' in atOnce ? `${atOnce.count}` : `${atOnce.percent}%`;
        const message = `EvictionPolicy ${policy.name} allows ${most} of ${words(scope)} to be evicted at once, and these are not finished: ${others.join(', ')}.`;
        return { kind: 'Kept', because: { reason: 'TooManyInFlight', message }, full: scope };
      }
      return { kind: 'Admitted', counted: mine.map((scope) => ({ kind: 'InFlight', scope })) };
    },
  };
}

/** How many evictions there may be at once; a percentage is of the pods there that use devices, rounded up and at least one. */
export function mostAtOnce(atOnce: AtOnce, pods: () => number | undefined): number {
  return 'count' in atOnce ? atOnce.count : percentOf(atOnce.percent, pods() ?? 0);
}
