// `npm run conformance`: the same worlds and histories under the in-tree controller and under Sluice, compared at rest.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { textAt } from '../../lib/local/cluster/object.ts';
import { type BatchResult, type Difference, playAlone, playBatch } from './batch.ts';
import { declared, undeclared } from './declared.ts';
import { renderPage } from './page.ts';
import { type Pair, startPair } from './pair.ts';
import { shrink } from './shrink.ts';
import { type World, worlds, worldsOfAll } from './world.ts';

const say = (line: string) => console.error(line);

/** Worlds played at once on two cores. */
const batchSize = 40;
/** One in so many worlds has a rule over everything. */
const aloneEvery = 50;

export interface Run {
  readonly cases: number;
  readonly seed: number;
}

function readArguments(args: readonly string[]): Run {
  const { values } = parseArgs({ args: [...args], options: { cases: { type: 'string' }, seed: { type: 'string' } } });
  const number = (name: 'cases' | 'seed', fallback: number) => {
    const value = values[name] === undefined ? fallback : Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1 on`);
    return value;
  };
  return { cases: number('cases', 25), seed: number('seed', (Date.now() % 2_000_000_000) + 1) };
}

/** Exit status: 0 no undeclared difference, 1 at least one, 2 nothing could be compared. */
export async function conformance(args: readonly string[]): Promise<number> {
  let run: Run;
  let pair: Pair;
  try {
    run = readArguments(args);
    say(
      `conformance: ${run.cases} cases, seed ${run.seed} (again: npm run conformance -- --cases ${run.cases} --seed ${run.seed})`,
    );
    pair = await startPair();
  } catch (error) {
    say(`conformance: the peers could not be set up: ${error instanceof Error ? error.message : error}`);
    return 2;
  }
  try {
    return await compare(pair, run);
  } finally {
    await pair.stop();
  }
}

async function compare(pair: Pair, run: Run): Promise<number> {
  const alone = Math.ceil(run.cases / aloneEvery);
  const together = fc.sample(worlds, { numRuns: run.cases - alone, seed: run.seed });
  const results: BatchResult[] = [];
  const played = async (result: BatchResult) => {
    results.push(result);
    const cases = results.reduce((sum, one) => sum + one.cases, 0);
    const different = results.flatMap((one) => one.differences).length;
    say(`  ${cases} of ${run.cases} played, ${different} different`);
  };
  for (let from = 0; from < together.length; from += batchSize)
    await played(await playBatch(pair, together.slice(from, from + batchSize)));
  for (const world of fc.sample(worldsOfAll, { numRuns: alone, seed: run.seed }))
    await played(await playAlone(pair, world));
  const differences = results.flatMap((one) => one.differences);
  const found = differences.filter(({ lines }) => undeclared(lines).length > 0);
  await explain(pair, found);
  await writePage(pair, run, { results, differences, found });
  console.log(`${run.cases - found.length} passed, ${found.length} failed`);
  return found.length > 0 ? 1 : 0;
}

/** The first one with its shortest history, the others as they were played. */
async function explain(pair: Pair, [first, ...others]: readonly Difference[]): Promise<void> {
  if (!first) return;
  say('\nlooking for the shortest history that still differs ...');
  for (const { world, lines } of [await shrink(pair, first), ...others]) {
    say(`\nundeclared difference:\n  ${undeclared(lines).join('\n  ')}`);
    say(renderWorld(world));
  }
}

function renderWorld(world: World): string {
  const part = (name: string, items: readonly unknown[]) =>
    items.map((item, i) => `  ${name} ${i}: ${JSON.stringify(item)}`);
  return [
    ...part('device', world.devices),
    ...part('claim', world.claims),
    ...part('pod', world.pods),
    ...part('rule', world.rules),
    ...part('step', world.history),
  ].join('\n');
}

async function writePage(
  pair: Pair,
  run: Run,
  by: {
    readonly results: readonly BatchResult[];
    readonly differences: readonly Difference[];
    readonly found: readonly Difference[];
  },
): Promise<void> {
  const version = await pair.inTree.client.call('GET', '/version');
  const sum = (of: (result: BatchResult) => number) => by.results.reduce((total, result) => total + of(result), 0);
  const page = renderPage({
    ...run,
    undeclared: by.found.length,
    declared: Object.fromEntries(
      declared.map(({ name, matches }) => [name, by.differences.filter(({ lines }) => lines.some(matches)).length]),
    ),
    kubernetes: textAt(version.body, 'gitVersion') ?? 'unknown',
    evictedPods: sum((result) => result.evicted),
    steps: sum((result) => result.steps),
  });
  // A run of CI leaves the work tree as it found it.
  if (process.env.CI === undefined)
    writeFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'conformance.md'), page);
}
