// Measures a large cluster on a real API server: the initial mirror, and a rule that matches all pods.
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { build } from '../../lib/local/build.ts';
import { createKnown } from '../../lib/local/known.ts';
import { startControlPlane } from '../../test/cluster/support/controlPlane.ts';
import { evictAll } from '../eviction/deletes.ts';
import { fill, prepare } from '../eviction/load.ts';
import { commandOf, treeOf, type Usage, usageOf } from '../eviction/usage.ts';
import { createLogReader } from './logReader.ts';

export interface RealCluster {
  readonly pods: number;
  readonly objects: number;
  /** From the start of the watcher's process until all objects were ingested. */
  readonly mirroredSeconds: number;
  /** Processor time by part during that period. */
  readonly mirrorProcessorMsPerObject: Readonly<Record<string, number>>;
  /** From the API server's response to the rule. */
  readonly firstDeleteMs: number;
  /** Deletes per second after the burst, during and after the listing of pods. */
  readonly perSecond: number;
  /** From the rule until all pods were listed; absent if that did not happen during the evictions. */
  readonly listedSeconds?: number;
  readonly deleted: number;
  /** Peak memory by part, at the end. */
  readonly peakMiB: Readonly<Record<string, number>>;
}

export interface RealOrder {
  readonly pods: number;
  readonly rate: { readonly perSecond: number; readonly burst: number };
  readonly evictSeconds: number;
  readonly say: (line: string) => void;
}

const root = path.join(import.meta.dirname, '..', '..');
const tick = 250;
const patience = 900_000;

export async function measureRealCluster({ pods, rate, evictSeconds, say }: RealOrder): Promise<RealCluster> {
  const controlPlane = await startControlPlane({ components: ['kcm'], controllers: ['resourceclaim-controller'] });
  try {
    const { client } = controlPlane;
    await prepare(client, pods);
    say('nodes and slices are there');
    await fill(client, 'large', pods);
    say(`${pods} pods and claims are there`);
    const { logFile } = await build();
    rmSync(logFile, { force: true });
    const args = ['demo', '--kubeconfig', controlPlane.kubeconfig, '--native', 'own'];
    const program = path.join(root, 'bin', 'sluice.ts');
    const sluice = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    try {
      const read = createLogReader(logFile);
      const mirrored = await untilMirrored(sluice, { read, say });
      say(`all ${mirrored.objects} objects are mirrored after ${mirrored.seconds.toFixed(1)} s`);
      const spent = sumByPart(sluice.pid ?? 0, ({ processorMs }) => processorMs / Math.max(1, mirrored.objects));
      const ruled = performance.now();
      const listed = countListed(read, pods);
      const order = { rule: 'large', enough: pods, rate, mostMs: evictSeconds * 1000 };
      const { times, deleted } = await evictAll(client, order);
      const listedAt = listed.stop();
      const [first = Number.NaN, last = Number.NaN] = [times[0], times.at(-1)];
      return {
        pods,
        objects: mirrored.objects,
        mirroredSeconds: mirrored.seconds,
        mirrorProcessorMsPerObject: spent,
        firstDeleteMs: Math.round(first),
        perSecond: ((times.length - rate.burst) * 1000) / (last - first),
        ...(listedAt === undefined ? {} : { listedSeconds: (listedAt - ruled) / 1000 }),
        deleted: deleted.size,
        peakMiB: sumByPart(sluice.pid ?? 0, ({ peakMiB }) => peakMiB),
      };
    } finally {
      sluice.kill('SIGINT');
      await new Promise((resolve) => sluice.once('exit', resolve));
    }
  } finally {
    await controlPlane.stop();
  }
}

async function untilMirrored(
  { pid = 0 }: ChildProcess,
  { read, say }: { readonly read: ReturnType<typeof createLogReader>; readonly say: (line: string) => void },
): Promise<{ readonly objects: number; readonly seconds: number }> {
  const known = createKnown();
  const end = Date.now() + patience;
  let [began, saidAt] = [0, Date.now()];
  for (let objects = 0; ; ) {
    await new Promise((resolve) => setTimeout(resolve, tick));
    if (Date.now() > end) throw new Error(`not mirrored after ${patience / 1000} s`);
    if (began === 0 && treeOf(pid).some((one) => partOf(one) === 'watcher')) began = Date.now();
    for (const line of read()) known.hear(...line);
    const loading = known.loading(began > 0);
    if (loading === undefined) return { objects, seconds: (Date.now() - began) / 1000 };
    objects = loading.of || objects;
    if (Date.now() - saidAt < 5000) continue;
    saidAt = Date.now();
    say(`${loading.done} of ${loading.of} objects are stored`);
  }
}

/** Sums the functions' log lines about listed pods, until all are listed. */
function countListed(read: ReturnType<typeof createLogReader>, pods: number) {
  let count = 0;
  let at: number | undefined;
  const look = () => {
    for (const [, line] of read()) count += Number(/"PodsListed":(\d+)/.exec(line)?.[1] ?? 0);
    if (count >= pods) at ??= performance.now();
  };
  const timer = setInterval(look, tick);
  return {
    stop() {
      clearInterval(timer);
      look();
      return at;
    },
  };
}

function partOf(pid: number): string {
  return commandOf(pid).includes('watcher') ? 'watcher' : 'program';
}

function sumByPart(pid: number, of: (usage: Usage) => number): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const one of treeOf(pid)) {
    const usage = usageOf(one);
    if (usage) found[partOf(one)] = (found[partOf(one)] ?? 0) + of(usage);
  }
  return Object.fromEntries(Object.entries(found).map(([part, sum]) => [part, Math.round(sum * 100) / 100]));
}
