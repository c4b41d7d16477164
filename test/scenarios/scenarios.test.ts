// Plays the scenario table: every case in every order of its events and with every event repeated.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tolerates } from '../../lib/decide/tolerate.ts';
import { play, playsOf } from './play.ts';
import { scenarios } from './scenarios.ts';

describe('decides as the in-tree controller does, whatever the order and however often changes are told', () => {
  for (const scenario of scenarios) {
    it(scenario.name, () => {
      if (scenario.kind === 'Toleration') {
        expect(tolerates(scenario.toleration, scenario.taint)).toBe(scenario.tolerated);
        return;
      }
      for (const order of playsOf(scenario)) {
        for (const [step, { seen, want }] of play(scenario, order).entries()) {
          if (isDeepStrictEqual(seen, want)) continue;
          expect(seen, `step ${step}, ${order.repetition}, orders ${JSON.stringify(order.orders)}`).toEqual(want);
        }
      }
    });
  }
});
