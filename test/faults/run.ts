// `npm run test:faults -- --cases N --seed S`: random histories with faults over the real watcher, functions and stages.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { historyOf } from './generate.ts';
import type { History } from './history.ts';
import { type Outcome, type Players, startPlayers } from './players.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '200' },
    seed: { type: 'string' },
    /** Plays this history alone and prints its trace. */
    case: { type: 'string' },
    /** A file with one history as JSON, as a failure prints it. */
    replay: { type: 'string' },
    /** The most histories that are played to find a smaller failing one. */
    shrink: { type: 'string', default: '300' },
    jobs: { type: 'string', default: '2' },
    /** No history is started later than this after the start. */
    seconds: { type: 'string' },
    /** Fewer histories than this within `seconds` are a failure. */
    'at-least': { type: 'string', default: '0' },
  },
});
/** Seconds between two lines of progress. */
const progressEvery = 30;
const say = (text: string) => console.log(text);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 20) : Number(values.seed);
const { cases, jobs, shrink: plays, 'at-least': atLeast, case: single = '0', seconds = 'Infinity' } = values;
const numbers = [seed, ...[cases, jobs, plays, atLeast, single].map(Number)];
const replayed = readHistory(values.replay);
if (numbers.every((one) => Number.isInteger(one) && one >= 0) && Number(jobs) > 0 && Number(seconds) > 0) {
  process.exitCode = await main();
} else {
  say('--cases, --seed, --case, --shrink, --jobs, --seconds and --at-least take whole numbers; at least one job');
  process.exitCode = 2;
}

function readHistory(file: string | undefined): History | undefined {
  if (file === undefined) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as History;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(`--replay ${file}: no history can be read from it (${why}); write the line into it that a failing run prints`);
    process.exit(2);
  }
}

/** Far enough apart that no two seeds share a history. */
function caseOf(index: number): History {
  return historyOf((seed * 100_003 + index) % 2 ** 31);
}

async function main(): Promise<number> {
  const players = await startPlayers(Number(jobs));
  try {
    if (replayed) return await playAlone(players, replayed);
    if (values.case !== undefined) return await playAlone(players, caseOf(Number(values.case)));
    return await playAll(players);
  } finally {
    players.stop();
  }
}

async function playAlone(players: Players, history: History): Promise<number> {
  const outcome = await players.play(history, true);
  for (const line of outcome.trace) say(line);
  say(describe(outcome));
  return counted(1, outcome.violations.length > 0 ? 1 : 0);
}

async function playAll(players: Players): Promise<number> {
  say(`${cases} histories, seed ${seed}`);
  const started = Date.now();
  const elapsed = () => (Date.now() - started) / 1000;
  const failed: { readonly index: number; readonly outcome: Outcome }[] = [];
  let [next, deletes, played, saidAt] = [0, 0, 0, 0];
  const playNext = async (): Promise<void> => {
    if (next >= Number(cases) || elapsed() > Number(seconds)) return;
    const index = next++;
    const outcome = await players.play(caseOf(index));
    deletes += outcome.deletes;
    played++;
    if (elapsed() - saidAt > progressEvery) {
      saidAt = elapsed();
      console.error(`${Math.round(saidAt)} s  ${played} of ${cases} histories, ${failed.length} failed`);
    }
    if (outcome.violations.length > 0) {
      failed.push({ index, outcome });
      const laws = new Set(outcome.violations.map(({ law }) => law));
      say(`case ${index} fails (--seed ${seed} --case ${index}): ${[...laws].join('; ')}`);
    }
    return playNext();
  };
  await Promise.all(Array.from({ length: Number(jobs) }, playNext));
  const speed = (next / elapsed()).toFixed(1);
  say(`${next} histories with ${deletes} deletes in ${elapsed().toFixed(0)} s, ${speed} a second`);
  const [first] = failed.toSorted((a, b) => a.index - b.index);
  if (first) await showSmallest(players, first.outcome);
  const isEnough = next >= Number(atLeast);
  if (!isEnough) say(`${next} histories were played within ${seconds} s, and ${atLeast} have to be`);
  return counted(next + (isEnough ? 0 : 1), failed.length + (isEnough ? 0 : 1));
}

async function showSmallest(players: Players, outcome: Outcome): Promise<void> {
  const [violation] = outcome.violations;
  if (!violation) return;
  say(`looking for a smaller history that fails to keep: Sluice ${violation.law}`);
  const smallest = await shrink(outcome, { law: violation.law, players, plays: Number(plays) });
  say(describe(smallest));
  say(`to play it again, write this line to FILE and add --replay FILE:\n${JSON.stringify(smallest.history)}`);
}

function describe({ violations, history, deletes }: Outcome): string {
  const happened = history.events.map(({ at, action }) => `  ${(at / 1000).toFixed(1)} s ${JSON.stringify(action)}`);
  const wrong = violations.map(({ law, what }) => `  Sluice ${law}: violated, ${what}`);
  const luck = Object.entries(history.luck).filter(([, value]) => value !== 0);
  return [
    `${history.watchers} watchers, seed ${history.seed}, luck ${JSON.stringify(Object.fromEntries(luck))}, ${deletes} deletes`,
    ...happened,
    ...(wrong.length > 0 ? wrong : ['  all laws hold']),
  ].join('\n');
}

function counted(all: number, failures: number): number {
  say(`${all - failures} passed, ${failures} failed`);
  return failures > 0 ? 1 : 0;
}
