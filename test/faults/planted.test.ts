// Each planted defect is found by its history, and the sources without it are not blamed for it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyWith, plantedNames, readPlanted } from './planted.ts';
import { type Players, startPlayers } from './players.ts';

let sound: Players;
beforeAll(async () => {
  sound = await startPlayers(1);
}, 120_000);
afterAll(() => sound.stop());

describe.each(plantedNames)('planted defect %s', (name) => {
  const { rule, finding } = readPlanted(name);

  it(`is found where this rule is taken away: ${rule}`, { timeout: 120_000 }, async () => {
    if (!finding) throw new Error(`nothing finds it: run node test/faults/plant.ts ${name}`);
    const copy = copyWith(name);
    const players = await startPlayers(1, copy.root);
    try {
      const { violations } = await players.play(finding.history);
      expect(violations.map(({ law }) => law)).toContain(finding.law);
    } finally {
      players.stop();
      copy.remove();
    }
    expect((await sound.play(finding.history)).violations).toEqual([]);
  });
});
