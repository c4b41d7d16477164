// Counts the calls of the table that one thing costs in clusters of different sizes, on virtual time and without faults.
import type { Instant } from '../../lib/model/time.ts';
import { type Bundle, bundleProgram } from '../faults/bundle.ts';
import { noLuckNeeded, type Pace } from '../faults/history.ts';
import { createRandom } from '../faults/random.ts';
import { createScene, type Scene } from '../faults/scene.ts';
import { installVirtualTime, type VirtualTime } from '../faults/virtualTime.ts';

/** Calls by method of the table, of one function. */
export type Calls = Readonly<Record<string, number>>;

export interface Counted {
  readonly pods: number;
  /** What ingest asks for when a rule over all pods is made. */
  readonly rule: Calls;
  /** What one sweep asks for while all pods wait. */
  readonly sweep: Calls;
  /** What the stages that pace and evict ask for, for each pod that was deleted. */
  readonly eviction: Calls;
  readonly evicted: number;
  /** What ingest asks for when the watcher lists everything again and nothing has changed. */
  readonly relist: Calls;
}

const start: Instant = Date.UTC(2027, 0, 15, 12);
const devicesPerPool = 8;
const cluster = 'counted';
const minute = 60_000;

/** `pods` of one claim and one device each, and `rules` that reach none of them. */
export async function countCalls(size: { readonly pods: number; readonly rules: number }): Promise<Counted> {
  const bundle = await bundleProgram();
  const time = installVirtualTime(start, createRandom(1).next);
  try {
    return await count(size, time, bundle);
  } finally {
    time.uninstall();
  }
}

async function count(
  { pods, rules }: { readonly pods: number; readonly rules: number },
  time: VirtualTime,
  bundle: Bundle,
): Promise<Counted> {
  let calls = new Map<string, Record<string, number>>();
  const scene = createScene({
    time,
    seed: 1,
    luck: noLuckNeeded,
    watchers: 1,
    comesBack: false,
    programs: [bundle.evaluate()],
    cluster,
    shape: { pools: Math.ceil(pods / devicesPerPool) + 1, devicesPerPool },
    isCounted: true,
    onCall(stage, call) {
      const mine = calls.get(stage) ?? {};
      calls.set(stage, mine);
      mine[call] = (mine[call] ?? 0) + 1;
    },
  });
  const during = async (minutes: number) => {
    calls = new Map();
    await time.runUntil(time.now() + minutes * minute);
    return calls;
  };
  for (let pod = 0; pod < pods; pod++) scene.act({ do: 'Pod', pod, device: pod });
  for (let rule = 1; rule <= rules; rule++)
    scene.act({ do: 'Rule', rule, selector: { device: pods }, effect: 'NoExecute', pace: still });
  await settle(scene, time);
  const idle = await during(5);
  scene.act({ do: 'Rule', rule: 0, selector: { driver: true }, effect: 'NoExecute', pace: still });
  const made = await during(5);
  await settle(scene, time);
  const swept = await during(5);
  const before = scene.api.deletes.length;
  scene.act({ do: 'Rule', rule: 0, selector: { driver: true }, effect: 'NoExecute', pace: slow });
  await settle(scene, time);
  const atFirst = scene.api.deletes.length;
  const evicting = await during(5);
  const evicted = scene.api.deletes.length - atFirst;
  scene.act({ do: 'Rule', rule: 0, selector: { driver: true }, effect: 'NoExecute', pace: still });
  await settle(scene, time);
  const quiet = await during(5);
  scene.act({ do: 'Compact' });
  const listed = await during(5);
  scene.stop();
  if (atFirst === before) throw new Error('no pod was evicted');
  return {
    pods,
    rule: less(made.get('ingest'), idle.get('ingest')),
    sweep: divided(swept.get('sweep') ?? {}, 5),
    eviction: divided(merged(evicting.get('pace'), evicting.get('evict')), evicted),
    evicted,
    relist: less(listed.get('ingest'), quiet.get('ingest')),
  };
}

const still: Pace = { perSecond: 0, burst: 1 };
const slow: Pace = { perSecond: 0.2, burst: 1 };

/** Until nothing that was sent is still to process; a pace never ends, so its limiters are not waited for. */
async function settle(scene: Scene, time: VirtualTime): Promise<void> {
  for (let waited = 0; waited < 240; waited++) {
    await time.runUntil(time.now() + minute);
    const { messages } = scene.installation.queues;
    const left = [`ingest-${cluster}`, 'reconcile'].flatMap((queue) => messages.get(queue) ?? []);
    if (waited > 2 && left.every(({ receives, visibleAt }) => receives === 0 && visibleAt > time.now())) return;
    if (waited > 2 && left.length <= 1) return;
  }
  throw new Error('the queues do not run empty within four hours');
}

function less(calls: Calls = {}, idle: Calls = {}): Calls {
  return Object.fromEntries(Object.entries(calls).map(([name, times]) => [name, times - (idle[name] ?? 0)]));
}

function divided(calls: Calls, by: number): Calls {
  return Object.fromEntries(Object.entries(calls).map(([name, times]) => [name, times / by]));
}

function merged(...all: readonly (Calls | undefined)[]): Calls {
  const sum: Record<string, number> = {};
  for (const calls of all)
    for (const [name, times] of Object.entries(calls ?? {})) sum[name] = (sum[name] ?? 0) + times;
  return sum;
}
