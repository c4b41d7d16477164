// The banner of a held rule is of the moment of the page, and not of the last report of the rule.
import { describe, expect, it } from 'vitest';
import { heldNow } from '../../../lib/commands/console/heldNow.ts';
import { aLimiter } from '../../view/pictures.ts';

const canary = 'Canary of EvictionPolicy a: 3 of 3 pods evicted';
const of = (overrides: Parameters<typeof aLimiter>[0]) => aLimiter({ limiter: 'rule|uid-1|k|NoExecute', ...overrides });

describe('whether a rule is held at this moment', () => {
  it('a rule that evicts by the table is not held, whatever its condition still says', () => {
    expect(heldNow([of({ state: 'Evicting' })], 'uid-1')).toEqual({ kind: 'NotHeld' });
  });

  it('a rule that the table holds is held with the words and numbers of this moment', () => {
    expect(heldNow([of({}), of({ heldBecause: canary })], 'uid-1')).toEqual({ kind: 'Held', why: canary });
  });

  it('a rule that is paused has the notice of its pause, and no second one', () => {
    expect(heldNow([of({ heldBecause: 'Paused by manual (audit)' })], 'uid-1')).toEqual({ kind: 'NotHeld' });
  });

  it('of a rule without pods in the table, and of another rule, only the condition is known', () => {
    expect(heldNow([of({ state: 'NotStarted' })], 'uid-1')).toEqual({ kind: 'Unknown' });
    expect(heldNow([of({})], 'uid-2')).toEqual({ kind: 'Unknown' });
  });
});
