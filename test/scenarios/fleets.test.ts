// Plays the cases of the scenario table that are too large for every order: once, and with every event repeated.
import { describe, expect, it } from 'vitest';
import { differences } from './play.ts';
import { scenarios } from './scenarios.ts';

const fleets = scenarios.flatMap((scenario) => (scenario.kind === 'History' && scenario.once ? [scenario] : []));

describe('scenarios of whole fleets', () => {
  it.each(fleets.map((history) => [history.name, history] as const))(
    'the pods of a fleet are decided as upstream does, also with every change repeated: %s',
    (_, history) => {
      for (const { seen, want, where } of differences(history)) expect(seen, where).toEqual(want);
    },
  );
});
