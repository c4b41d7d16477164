// Plays one history in virtual time, from its first object to the check of its invariants.
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import { silentFor } from '../../lib/stages/sweep/removeEarlier.ts';
import type { Program } from './bundle.ts';
import type { History } from './history.ts';
import { judgeHistory, seconds, unfinished, type Violation } from './judge.ts';
import { leftOfEarlier, unreachedRows } from './leftOfEarlier.ts';
import { createRandom } from './random.ts';
import { createScene, type Scene } from './scene.ts';
import { installVirtualTime, type VirtualTime } from './virtualTime.ts';

export interface Played {
  readonly violations: readonly Violation[];
  /** One line for each event; empty unless requested. */
  readonly trace: readonly string[];
  readonly deletes: number;
  readonly steps: number;
}

const start: Instant = Date.UTC(2027, 0, 15, 12);

const minute: Milliseconds = 60_000;

/** After the faults: long enough for a round of the mirror, for leases, redeliveries and the repairs of sweeps. */
const quiet: Milliseconds = 14 * minute;

/**
 * One history in so many is played for all of that time. The others end when no work has been left for two minutes, in which every
 * delayed message arrives.
 */
const playedWhole = 8;

export interface PlayOptions {
  readonly programs: readonly Program[];
  readonly cluster: string;
  readonly trace?: boolean;
}

export async function playHistory(history: History, options: PlayOptions): Promise<Played> {
  const time = installVirtualTime(start, createRandom(history.seed).fork('process').next);
  try {
    return await play(history, options, time);
  } finally {
    time.uninstall();
  }
}

async function play(history: History, options: PlayOptions, time: VirtualTime): Promise<Played> {
  const { programs, cluster } = options;
  const [program] = programs;
  if (!program) throw new Error('no program to play with');
  const trace: string[] = [];
  const say = (text: string) => void trace.push(`${seconds(time.now() - start)} ${text}`);
  const scene = createScene({ ...history, time, programs, cluster, ...(options.trace ? { say } : {}) });
  for (const { at, action } of history.events) time.at(start + at, () => scene.act(action));
  await time.runUntil(start + history.length);
  scene.endFaults();
  await comeToRest(history, { scene, cluster, program, time });
  const left = unfinished({ ...scene, cluster, program, start, now: time.now() });
  const unreached = unreachedRows(scene);
  const earlier = new Set(leftOfEarlier({ ...scene, cluster, unreached }).map(({ what }) => what.split('#', 1)[0]));
  if (earlier.size > 0) {
    time.leap(silentFor);
    // One incarnation a minute, once the current one sends heartbeats.
    await time.runUntil(time.now() + (3 + earlier.size) * minute);
  }
  scene.stop();
  const { deletes } = scene.api;
  if (options.trace) for (const one of deletes) say(`delete ${JSON.stringify(one)}`);
  const violations = await judgeHistory({ ...scene, cluster, unreached, program, start, now: time.now() });
  return {
    violations: [...left, ...violations],
    trace,
    deletes: deletes.filter(({ took }) => took).length,
    steps: time.steps,
  };
}

async function comeToRest(
  { seed }: History,
  by: { readonly scene: Scene; readonly cluster: string; readonly program: Program; readonly time: VirtualTime },
): Promise<void> {
  const { scene, time } = by;
  const { queues } = scene.installation;
  const end = time.now() + quiet;
  const isLeft = () =>
    scene.oracle.due(Number.POSITIVE_INFINITY).length > 0 ||
    unfinished({ ...scene, ...by, start, now: time.now() }).length > 0;
  let doneSince: Instant | undefined;
  while (time.now() < end) {
    await time.runUntil(time.now() + minute);
    if (time.now() === end - quiet / 2) queues.redrive();
    if (seed % playedWhole === 0 || isLeft()) {
      doneSince = undefined;
    } else if (doneSince === undefined) {
      doneSince = time.now();
      queues.redrive();
      queues.hasten();
    } else if (time.now() >= doneSince + 2 * minute) return;
  }
}
