// `npm run test:planted`: each planted defect is found, by the history that is known to find it or by one of many random ones.
import { parseArgs } from 'node:util';
import { type Defect, defects } from './defects.ts';
import { historyOf } from './generate.ts';
import { copyWith } from './planted.ts';
import { type Players, startPlayers } from './players.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cases: { type: 'string', default: '2000' }, seed: { type: 'string', default: '1' } },
});
const jobs = 2;

const chosen = defects.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const missing = positionals.filter((name) => defects.every((one) => one.name !== name));
const sound = await startPlayers(1);
let found = 0;
for (const defect of chosen) if (await isFound(defect)) found++;
for (const name of missing) console.log(`${name}: test/faults/defects.ts has no such defect`);
sound.stop();
const failures = chosen.length - found + missing.length;
console.log(`${found} passed, ${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;

async function isFound(defect: Defect): Promise<boolean> {
  const copy = copyWith(defect);
  const players = await startPlayers(jobs, copy.root);
  try {
    const told = await findIn(players, defect);
    console.log(`${defect.name}: ${told ?? `not found in ${values.cases} histories`}`);
    return told !== undefined;
  } finally {
    players.stop();
    copy.remove();
  }
}

/** A history that the sources without the defect fail as well finds nothing. */
async function findIn(players: Players, { foundBy }: Defect): Promise<string | undefined> {
  const first = Number(values.seed) * 100_003;
  const random = Array.from({ length: Number(values.cases) }, (_, i) => first + i);
  const seeds = foundBy === undefined ? random : [foundBy, ...random];
  let told: string | undefined;
  const playNext = async (): Promise<void> => {
    const seed = seeds.shift();
    if (seed === undefined || told !== undefined) return;
    const [violation] = (await players.play(historyOf(seed))).violations;
    if (violation && (await sound.play(historyOf(seed))).violations.length === 0)
      told ??= `found by history ${seed}: Sluice ${violation.law}: violated`;
    return playNext();
  };
  await Promise.all(Array.from({ length: jobs }, playNext));
  return told;
}
