// Plays the scenario table: every scenario in every order of its events and with every event repeated.
import { describe, expect, it } from 'vitest';
import { tolerates } from '../../lib/decide/tolerate.ts';
import { differences } from './play.ts';
import { scenarios } from './scenarios.ts';

describe('the scenario table', () => {
  const orderly = scenarios.filter((scenario) => scenario.kind === 'Toleration' || !scenario.once);
  it.each(orderly.map((scenario) => [scenario.name, scenario] as const))(
    'pods are decided as the in-tree controller does, in any order of changes and with repetitions: %s',
    (_, scenario) => {
      if (scenario.kind === 'Toleration') {
        expect(tolerates(scenario.toleration, scenario.taint)).toBe(scenario.tolerated);
        return;
      }
      for (const { seen, want, where } of differences(scenario)) expect(seen, where).toEqual(want);
    },
  );
});
