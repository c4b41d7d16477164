// The banner of a held rule shows its state when the page is served, not the state of its last report.
import { describe, expect, it } from 'vitest';
import { heldNow, isHeldObject } from '../../../lib/commands/console/heldNow.ts';
import { aLimiter } from '../../view/pictures.ts';

const canary = 'Canary of EvictionPolicy a: 3 of 3 pods evicted';
const of = (overrides: Parameters<typeof aLimiter>[0]) => aLimiter({ limiter: 'rule|uid-1|k|NoExecute', ...overrides });

describe('heldNow', () => {
  it('a rule that evicts according to the table is not held', () => {
    expect(heldNow([of({ state: 'Evicting' })], 'uid-1')).toEqual({ kind: 'NotHeld' });
  });

  it('a rule that is held according to the table has the reason given there', () => {
    expect(heldNow([of({}), of({ heldBecause: canary })], 'uid-1')).toEqual({ kind: 'Held', why: canary });
  });

  it('a paused rule has no notice besides that of its pause', () => {
    expect(heldNow([of({ heldBecause: 'Paused by manual (audit)' })], 'uid-1')).toEqual({ kind: 'NotHeld' });
  });

  it('a rule under an EvictionStop has no notice besides that of the stop', () => {
    const stopped =
      'No pod of this cluster is evicted: stopped by EvictionStop a; to continue: kubectl delete evictionstop a';
    expect(heldNow([of({ heldBecause: stopped })], 'uid-1')).toEqual({ kind: 'NotHeld' });
  });

  it.each([
    ['Paused', 'Paused by manual (audit).', false],
    ['Stopped', 'No pod of this cluster is evicted: stopped by EvictionStop a; to continue: kubectl delete …', false],
    ['Stopped', 'No pod of this cluster is evicted: it cannot be read whether an EvictionStop is there.', true],
    ['Canary', canary, true],
  ])('a rule whose condition is held for %s with "%s" has a notice of its own: %s', (reason, message, expected) => {
    const condition = { type: 'sluice.dev/Held', status: 'True', reason, message };
    expect(isHeldObject({ status: { conditions: [condition] } })).toBe(expected);
  });

  it('heldNow is unknown for a rule without listed pods and for a rule that the table does not have', () => {
    expect(heldNow([of({ state: 'NotStarted' })], 'uid-1')).toEqual({ kind: 'Unknown' });
    expect(heldNow([of({})], 'uid-2')).toEqual({ kind: 'Unknown' });
  });
});
