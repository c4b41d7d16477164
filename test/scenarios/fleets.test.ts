// Plays the cases of the scenario table that are too large for every order: once, and with every event repeated.
import { describe, expect, it } from 'vitest';
import { differences } from './play.ts';
import { scenarios } from './scenarios.ts';

const fleets = scenarios.flatMap((scenario) => (scenario.kind === 'History' && scenario.once ? [scenario] : []));

describe('decides for a fleet as for one pod', () => {
  it.each(fleets.map((history) => [history.name, history] as const))(
    'a fleet is decided as each of its pods alone: %s',
    (_, history) => {
      for (const { seen, want, where } of differences(history)) expect(seen, where).toEqual(want);
    },
  );
});
