// `npm run bench`: Sluice and the in-tree controller in turn on real API servers; `--quick` checks only correctness.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../lib/local/build.ts';
import { ensureBinary, findTools } from '../test/cluster/binary.ts';
import { measure } from '../test/cost/measured.ts';
import { prepare } from './eviction/load.ts';
import { pacedRate, playPaced } from './eviction/paced.ts';
import { busiestThreads, writePage } from './eviction/page.ts';
import { isComplete, ownProcessorMs, perSecond, playRound, type Round } from './eviction/rounds.ts';
import { type SystemName, startSystem, systemNames } from './eviction/systems.ts';

interface Size {
  readonly pods: number;
  readonly rounds: number;
  readonly systems: readonly SystemName[];
}

const sizes: readonly Size[] = [
  { pods: 1, rounds: 5, systems: systemNames },
  { pods: 100, rounds: 5, systems: systemNames },
  { pods: 1000, rounds: 3, systems: systemNames },
  { pods: 10_000, rounds: 1, systems: ['in-tree-raised', 'sluice'] },
];
const quickSizes: readonly Size[] = [
  { pods: 1, rounds: 1, systems: systemNames },
  { pods: 30, rounds: 1, systems: systemNames },
];

/** With default client limits, the in-tree controller deletes about six pods per second. */
const enoughInTree = 300;
/** Timeout of a round, which is then measured with the pods deleted so far. */
const mostMs = 10 * 60_000;

const limit = { rate: { perSecond: 10, burst: 10 }, mostMs };
const paced = { ...limit, pods: 300, loops: [0, 10, 20] };
const quickPaced = { ...limit, pods: 40, loops: [0] };

const began = Date.now();
const say = (line: string) =>
  console.error(`${String(Math.round((Date.now() - began) / 1000)).padStart(5)} s  ${line}`);

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    most: { type: 'string' },
    rounds: { type: 'string' },
    system: { type: 'string', multiple: true },
  },
});
const chosen = (flags.quick ? quickSizes : sizes)
  .filter(({ pods }) => pods <= Number(flags.most ?? Number.POSITIVE_INFINITY))
  .map((size) => ({ ...size, rounds: Math.min(size.rounds, Number(flags.rounds ?? size.rounds)) }))
  .map((size) => ({ ...size, systems: size.systems.filter((one) => flags.system?.includes(one) ?? true) }));
const unknown = flags.system?.some((one) => !systemNames.some((name) => name === one));
if (chosen.length === 0 || unknown || chosen.some(({ rounds }) => !(rounds >= 1))) {
  console.error('usage: npm run bench -- [--quick] [--most PODS] [--rounds N] [--system NAME ...]');
  console.error(`PODS: 1, 100, 1000 or 10000; NAME: ${systemNames.join(', ')}; with --system no page is written`);
  process.exit(2);
}
const tools = findTools();
if (tools.kind === 'Missing') {
  console.error(`npm run bench starts real Kubernetes control planes that it builds itself.\n${tools.install}`);
  process.exit(2);
}
const runs = mkdtempSync(path.join(tmpdir(), 'sluice-bench-'));
process.env.SLUICE_CLUSTER_RUNS = runs;
process.env.SLUICE_CONTROL_PLANE = await ensureBinary(tools.go, say);
await build({ onBuild: () => say('building Sluice') });
const [busy = 0] = loadavg();
const cores = availableParallelism();
if (busy > 0.5)
  say(`the machine is busy before it begins: load ${busy.toFixed(1)} on ${cores} cores; times are worth less`);

const rounds: Round[] = [];
for (const size of chosen) for (const system of size.systems) rounds.push(...(await playSize(size, system)));
const pacedRounds = flags.system
  ? []
  : await playPaced(flags.quick ? quickPaced : paced, (round) =>
      say(`${describe(round)}; ${pacedRate(round).toFixed(2)}/s beside ${round.loops} busy loops`),
    );
rmSync(runs, { recursive: true, force: true });

const wrong = [...rounds, ...pacedRounds].filter((one) => !isComplete(one, enoughOf(one)));
for (const one of wrong)
  say(`NOT complete: ${one.system}, ${one.pods} pods: ${one.deleted} deleted, ${one.wrong} others`);
if (!flags.quick && !flags.system)
  writePage({
    rounds,
    paced: pacedRounds,
    operations: (await measure()).eviction,
    busy,
    cores,
    minutes: (Date.now() - began) / 60_000,
  });
console.log(
  wrong.length === 0 ? 'every pod of the rounds was deleted, and no other' : `${wrong.length} rounds are not complete`,
);
process.exitCode = wrong.length === 0 ? 0 : 1;

function enoughOf({ system, pods }: Pick<Round, 'system' | 'pods'>): number {
  return system === 'in-tree' ? Math.min(pods, enoughInTree) : pods;
}

/** After a round that did not delete all pods, the next one uses a new control plane, because deletes still continue. */
async function playSize({ pods, rounds: times }: Size, system: SystemName): Promise<readonly Round[]> {
  const played: Round[] = [];
  while (played.length < times) {
    const running = await startSystem(system);
    try {
      await prepare(running.controlPlane.client, pods);
      do {
        const name = `round-${played.length}`;
        const round = await playRound(running, { name, pods, enough: enoughOf({ system, pods }), mostMs });
        played.push(round);
        say(describe(round));
      } while (played.length < times && played.at(-1)?.deleted === pods);
    } finally {
      await running.stop();
    }
  }
  return played;
}

function describe(round: Round): string {
  const { system, pods, deleted, times, load } = round;
  const ms = (at: number | undefined) => (at === undefined ? '-' : `${Math.round(at)} ms`);
  const spent = deleted === 0 ? '-' : `${(ownProcessorMs(round) / deleted).toFixed(1)} ms`;
  const threads = busiestThreads([round]).map(({ name, ms }) => `, ${name} ${ms.toFixed(1)} ms`);
  return `${system}, ${pods} pods: first ${ms(times[0])}, last ${ms(times.at(-1))}, ${perSecond(round).toFixed(1)}/s, ${spent} of processor time each${threads.join('')}, load ${load.toFixed(1)}`;
}
