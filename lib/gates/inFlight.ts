// The common part of all limits on evictions in flight: a pod counts in its scope from its intent until the pod is gone.
import { type Census, percentOf } from '../decide/census.ts';
import type { AtOnce } from '../model/policy.ts';
import { admitted, type Gate, type PodFacts, type Scope } from './gate.ts';

interface InFlightLimit {
  /** The field of the policy's limits. */
  readonly name: 'maxPerNode' | 'maxPerWorkload' | 'maxPerPool';
  /** The scopes in which the pod counts; may be empty. */
  readonly scopesOf: (pod: Pick<PodFacts, 'pod' | 'ledger'>) => readonly Scope[];
  /** Number of pods in the scope that use devices; a percentage is taken of this number. */
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
        const most = mostAtOnce(atOnce, () => pod.census && podsIn(pod.census, scope));
        if (others.length < Math.min(most, mostInFlight)) continue;
        const share = 'count' in atOnce ? `${atOnce.count}` : `${atOnce.percent}%`;
        const bound = most > mostInFlight ? ` (at most ${mostInFlight})` : '';
        const message = `EvictionPolicy ${policy.name} allows ${share}${bound} of ${words(scope)} to be evicted at once, and these are not finished: ${listed(others)}.`;
        return { kind: 'Kept', because: { reason: 'TooManyInFlight', message }, full: scope };
      }
      return { kind: 'Admitted', counted: mine.map((scope) => ({ kind: 'InFlight', scope })) };
    },
  };
}

/** Names with their namespaces have up to 317 characters, and all that are in flight in a scope are in one row of 400 KB. */
const mostInFlight = 1000;

/** For one line of a terminal. */
const mostNamed = 10;

function listed(pods: readonly string[]): string {
  return pods.slice(0, mostNamed).join(', ') + (pods.length > mostNamed ? ', …' : '');
}

/** Evictions allowed at once. A percentage is of the pods in the scope that use devices, rounded up, at least 1. */
export function mostAtOnce(atOnce: AtOnce, pods: () => number | undefined): number {
  return 'count' in atOnce ? atOnce.count : percentOf(atOnce.percent, pods() ?? 0);
}
