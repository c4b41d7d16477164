// Plays the scenario table: every case in every order of its events and with every event repeated.
import { describe, expect, it } from 'vitest';
import { tolerates } from '../../lib/decide/tolerate.ts';
import { differences } from './play.ts';
import { scenarios } from './scenarios.ts';

describe('decides as the in-tree controller does, whatever the order and however often changes are told', () => {
  const orderly = scenarios.filter((scenario) => scenario.kind === 'Toleration' || !scenario.once);
  it.each(orderly.map((scenario) => [scenario.name, scenario] as const))(
    'each pod is decided as the in-tree controller does: %s',
    (_, scenario) => {
      if (scenario.kind === 'Toleration') {
        expect(tolerates(scenario.toleration, scenario.taint)).toBe(scenario.tolerated);
        return;
      }
      for (const { seen, want, where } of differences(scenario)) expect(seen, where).toEqual(want);
    },
  );
});
