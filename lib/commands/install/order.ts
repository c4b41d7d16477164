// Order in which parts of an installation change, so that only tested combinations of old and new parts run together.
import { compareSemvers, parseSemver } from '../../cel/semver.ts';
import { Failure } from '../failure.ts';

export type Part = 'Definitions' | 'Stack' | 'Charts';

export interface Order {
  readonly kind: 'Install' | 'Same' | 'Upgrade' | 'RollBack';
  readonly parts: readonly Part[];
}

/**
 * `deployed`: release of the stack; `undefined` without a stack, empty if its outputs name none. Upgrades change functions before
 * watchers, rollbacks the reverse; CRDs are never rolled back, because objects may use their newer fields (ADR 0021).
 */
export function orderOf(deployed: string | undefined, own: string): Order {
  const forward = ['Definitions', 'Stack', 'Charts'] as const;
  if (deployed === undefined) return { kind: 'Install', parts: forward };
  if (deployed === '') return { kind: 'Upgrade', parts: forward };
  const [from, to] = [parseSemver(deployed), parseSemver(own)];
  if (!from || !to) throw new Failure(`releases ${deployed} and ${own} cannot be compared: not semantic versions`);
  const direction = compareSemvers(from, to);
  if (direction === 0) return { kind: 'Same', parts: forward };
  return direction < 0 ? { kind: 'Upgrade', parts: forward } : { kind: 'RollBack', parts: ['Charts', 'Stack'] };
}
