// `npm run conformance -- --cases N --seed S`: random histories on two real clusters, the in-tree controller beside Sluice.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { deviceClass, node } from '../../lib/local/cluster/builders.ts';
import { upstreamSettings } from '../../lib/model/snapshot.ts';
import { ensureBinary, findTools } from '../cluster/binary.ts';
import { startControlPlane } from '../cluster/support/controlPlane.ts';
import { createAll } from '../cluster/support/objects.ts';
import { histories } from './arbitraries.ts';
import { type Outcome, type Peers, playBatch } from './batch.ts';
import { type History, isAlone } from './history.ts';
import { deviceClassName, nodeName } from './manifests.ts';
import { addUp, describeOutcome, writePage } from './page.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '25' },
    seed: { type: 'string' },
    batch: { type: 'string', default: '25' },
    /** A file with one history as JSON, as a difference is printed, instead of random ones. */
    history: { type: 'string' },
    /** Rounds of looking for a shorter history. */
    shrink: { type: 'string', default: '8' },
    /** Generates docs/reference/conformance.md again. */
    page: { type: 'boolean', default: false },
    /** Turns a setting of Sluice round: a wrong decision, which the comparison has to report, or 1.37's of extended resources. */
    plant: { type: 'string' },
  },
});
const cases = Number(values.cases);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
const batchSize = Number(values.batch);
const say = (text: string) => console.log(text);

// An interrupted run must not leave control planes behind: they are stopped when the process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(2));
process.exitCode = await main();

async function main(): Promise<number> {
  if (
    ![cases, seed, batchSize, Number(values.shrink)].every((one) => Number.isInteger(one) && one >= 0) ||
    batchSize === 0
  ) {
    say('--cases, --seed, --batch and --shrink take whole numbers');
    return 2;
  }
  if (values.plant !== undefined && !(values.plant in upstreamSettings)) {
    say(`--plant takes one of ${Object.keys(upstreamSettings).join(', ')}`);
    return 2;
  }
  say(values.history === undefined ? `${cases} histories, seed ${seed}` : `the history of ${values.history}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'sluice-conformance-'));
  const peers = await startPeers(folder).catch((error: unknown) => {
    say(`the peers could not be set up: ${error}`);
    return undefined;
  });
  try {
    return peers ? await compareAll(peers) : 2;
  } catch (error) {
    say(`the comparison broke off: ${error instanceof Error ? error.stack : error}`);
    return 2;
  } finally {
    await Promise.all([peers?.inTree.stop(), peers?.sluice.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startPeers(folder: string): Promise<Peers> {
  const tools = findTools();
  if (tools.kind === 'Missing') throw new Error(tools.install);
  process.env.SLUICE_CONTROL_PLANE ??= await ensureBinary(tools.go, say);
  process.env.SLUICE_CLUSTER_RUNS ??= folder;
  const featureGates = 'GenericWorkload=true,DRAWorkloadResourceClaims=true';
  // Its own limits would make it the slower one by far, and nothing else.
  const environment = { KCM_FLAGS: '--kube-api-qps=5000 --kube-api-burst=5000' };
  const controllers = ['device-taint-eviction-controller'];
  const inTree = await startControlPlane({ components: ['kcm'], controllers, featureGates, environment });
  try {
    const sluice = await startControlPlane({ components: [], featureGates });
    const common = [node(nodeName), deviceClass(deviceClassName)];
    await Promise.all([inTree, sluice].map(({ client }) => createAll(client, common)));
    return { inTree, sluice };
  } catch (error) {
    await inTree.stop();
    throw error;
  }
}

async function compareAll(peers: Peers): Promise<number> {
  const started = Date.now();
  const settings = { ...upstreamSettings, workloadClaims: true, extendedResourceClaims: true };
  const planted = values.plant
    ? { ...settings, [values.plant]: !settings[values.plant as keyof typeof settings] }
    : settings;
  const play = (some: readonly History[]) => playAll(peers, some, planted);
  // Said at once: a run of hundreds may break off.
  const sayWrong = (one: Outcome) => say(describeOutcome('undeclared difference', one));
  const outcomes = await playAll(peers, chosenHistories(), planted, sayWrong);
  const wrong = outcomes.filter(isWrong);
  if (wrong[0]) {
    say('looking for the shortest history that still shows it');
    const shortest = await shrink(wrong[0], play, Number(values.shrink));
    say(describeOutcome('shortest history', shortest));
    say(`to play it again, with --history FILE: ${JSON.stringify(shortest.history)}`);
  }
  const figures = addUp(outcomes, { seed, seconds: Math.round((Date.now() - started) / 1000) });
  say(JSON.stringify(figures));
  if (values.page) writePage(figures);
  say(`${outcomes.length - wrong.length} passed, ${wrong.length} failed`);
  return wrong.length > 0 ? 1 : 0;
}

function chosenHistories(): readonly History[] {
  if (values.history === undefined) return fc.sample(histories, { numRuns: cases, seed });
  return [JSON.parse(readFileSync(values.history, 'utf8'))];
}

function isWrong({ undeclared }: Outcome): boolean {
  return undeclared.length > 0;
}

/** Histories that would reach each other's objects are played alone, after the others. */
async function playAll(
  peers: Peers,
  all: readonly History[],
  settings: typeof upstreamSettings,
  onWrong: (outcome: Outcome) => void = () => {},
): Promise<readonly Outcome[]> {
  const together = all.filter((one) => !isAlone(one));
  const batches = Array.from({ length: Math.ceil(together.length / batchSize) }, (_, i) =>
    together.slice(i * batchSize, (i + 1) * batchSize),
  );
  const outcomes: Outcome[] = [];
  for (const some of [...batches, ...all.filter(isAlone).map((one) => [one])]) {
    const played = await playBatch({ peers, histories: some, settings });
    outcomes.push(...played);
    played.filter(isWrong).forEach(onWrong);
    // A step that failed and came back may be why a pod was late, even where nothing differs in the end.
    for (const problem of new Set(played[0]?.problems.slice(0, 5))) console.error(`  Sluice said: ${problem}`);
    console.error(`${outcomes.length} of ${all.length}, ${outcomes.filter(isWrong).length} differ`);
  }
  return outcomes;
}
