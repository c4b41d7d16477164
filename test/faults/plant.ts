// `node test/faults/plant.ts NAME...`: looks for a small history that finds a planted defect, and writes it down beside the patch.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { historyOf } from './generate.ts';
import type { History } from './history.ts';
import { copyWith, findingFile, plantedNames } from './planted.ts';
import { type Outcome, type Players, startPlayers } from './players.ts';
import { shrink } from './shrink.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
});

for (const name of positionals.length > 0 ? positionals : plantedNames) console.log(`${name}: ${await find(name)}`);

async function find(name: string): Promise<string> {
  const copy = copyWith(name);
  const players = await startPlayers(2, copy.root);
  const sound = await startPlayers(1);
  try {
    for (let index = 0; index < Number(values.cases); index += 8) {
      const histories = Array.from({ length: 8 }, (_, i) => historyOf(Number(values.seed) * 100_003 + index + i));
      const outcomes = await Promise.all(histories.map((history) => players.play(history)));
      for (const outcome of outcomes.filter(({ violations }) => violations.length > 0)) {
        const found = await confirmed(outcome, players, sound);
        if (!found) continue;
        writeFileSync(findingFile(name), `${JSON.stringify(found, undefined, 2)}\n`);
        return `found within ${index + 8} histories: Sluice ${found.law}: violated`;
      }
    }
    return `not found in ${values.cases} histories`;
  } finally {
    players.stop();
    sound.stop();
    copy.remove();
  }
}

/** Made smaller; undefined where the sources without the defect fail as well. */
async function confirmed(outcome: Outcome, players: Players, sound: Players) {
  const [violation] = outcome.violations;
  if (!violation) return undefined;
  const holds = async (history: History) => (await sound.play(history)).violations.length === 0;
  const { law } = violation;
  const smallest = await shrink(outcome, { law, players, plays: 150 });
  for (const { history } of [smallest, outcome]) if (await holds(history)) return { law, history };
  return undefined;
}
