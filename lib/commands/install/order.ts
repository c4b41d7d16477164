// In which order the parts of an installation are changed: an older part beside a newer one must always be one that tests allow.
import { compareSemvers, parseSemver } from '../../cel/semver.ts';
import { Failure } from '../failure.ts';

export type Part = 'Definitions' | 'Stack' | 'Charts';

export interface Order {
  readonly kind: 'Install' | 'Same' | 'Upgrade' | 'RollBack';
  readonly parts: readonly Part[];
}

/**
 * `deployed` is the release of the stack; `undefined` where there is no stack, empty where it does not say. Functions come before
 * watchers, and after them on the way back; definitions are never rolled back, because objects may have their newer fields (ADR 0021).
 */
export function orderOf(deployed: string | undefined, own: string): Order {
  const forward = ['Definitions', 'Stack', 'Charts'] as const;
  if (deployed === undefined) return { kind: 'Install', parts: forward };
  if (deployed === '') return { kind: 'Upgrade', parts: forward };
  const [from, to] = [parseSemver(deployed), parseSemver(own)];
  if (!from || !to) throw new Failure(`releases ${deployed} and ${own} cannot be compared: they are no versions`);
  const direction = compareSemvers(from, to);
  if (direction === 0) return { kind: 'Same', parts: forward };
  return direction < 0 ? { kind: 'Upgrade', parts: forward } : { kind: 'RollBack', parts: ['Charts', 'Stack'] };
}
