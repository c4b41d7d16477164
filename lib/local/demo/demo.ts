// The running demo: the story, its fleet and the keys of the terminal, as one snapshot per frame.
import type { Clock } from '../../ports.ts';
import type { State } from '../../state/state.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import type { Overlay, ScreenSnapshot } from '../../view/screenSnapshot.ts';
import { readWhy, renderWhy } from '../../view/why.ts';
import type { Known } from '../known.ts';
import type { Simulation } from '../simulation.ts';
import { policies } from './acts.ts';
import { chatNode, fleetManifests, gpuNodes, workloads } from './fleet.ts';
import { readFleet } from './fleetSnapshot.ts';
import { approveHeld, changeRate, createOperator, isPaused, taintNode, togglePause, writtenRules } from './operator.ts';
import { type Story, startStory } from './story.ts';
import { startWorkloads } from './workloads.ts';

export const keysHelp: Overlay = {
  title: 'Keys (any key closes this)',
  lines: [
    't   taint all GPUs of one more node, with a DeviceTaintRule',
    'p   pause every rule and policy, or resume them all',
    'r   raise the rate of the rule that is evicting; R lowers it',
    'a   approve what waits for an approval',
    'w   why was the last pod evicted; again: the pod before it',
    '?   this list',
    'q   quit; Ctrl-C does the same',
  ],
};

/** Everything but the story is there before Sluice is: the fleet, its pods, its policies. */
export const demoManifests = [...fleetManifests(), ...policies];

export interface DemoOptions {
  readonly simulation: Simulation;
  readonly state: () => Promise<State>;
  readonly clock: Clock;
  readonly known: Known;
  readonly read: () => Promise<ClusterProgress>;
  readonly footer: readonly string[];
  readonly signal: AbortSignal;
}

export interface Demo {
  snapshot(): Promise<ScreenSnapshot>;
  onKey(key: string): void;
  stop(): Promise<void>;
}

export function startDemo(options: DemoOptions): Demo {
  const { simulation, clock, known, signal } = options;
  const { cluster } = simulation;
  const operator = createOperator(cluster);
  let progress: ClusterProgress | undefined;
  let story: Story | undefined;
  let message: string | undefined;
  let overlay: Overlay | undefined;
  let whyOf = -1;
  const say = (text: string) => {
    message = text;
  };
  const begin = () => {
    const begun = startStory({ cluster, operator, clock, progress: () => progress, signal });
    begun.ended.catch((error: unknown) => say(`the tutorial ended: ${error instanceof Error ? error.message : error}`));
    return begun;
  };
  const explain = async () => {
    const last = progress?.last ?? [];
    whyOf = Math.min(whyOf + 1, last.length - 1);
    const eviction = last[whyOf];
    if (!eviction) return say('no pod was evicted yet');
    const subject = `${eviction.pod.namespace}/${eviction.pod.name}`;
    const why = await readWhy(await options.state(), subject, clock.now());
    overlay = { title: `Why was ${subject} evicted?`, lines: renderWhy(subject, why) };
  };
  const act = async (key: string): Promise<void> => {
    switch (key) {
      case 't':
        return say(await taintNode(operator, nextNode(cluster)));
      case 'p':
        return say(await togglePause(cluster, operator));
      case 'r':
      case 'R': {
        const rule = progress?.limiters.find(({ kind, state }) => kind === 'Rule' && state === 'Evicting');
        if (!rule) return say('no rule is evicting now');
        return say(
          await changeRate(cluster, operator, { rule: rule.name, perSecond: rule.rate.perSecond, up: key === 'r' }),
        );
      }
      case 'a':
        return say(await approveHeld(cluster, operator));
      case 'w':
        return explain();
      case '?':
        overlay = keysHelp;
        return;
      default:
        return;
    }
  };
  return {
    async snapshot() {
      progress = await options.read();
      const loading = known.loading(progress.watcher.isAlive);
      if (loading) return { at: progress.at, loading, footer: options.footer };
      story ??= begin();
      return {
        at: progress.at,
        progress,
        fleet: readFleet(cluster),
        chapter: story.chapter(),
        isPaused: isPaused(cluster),
        ...(message === undefined ? {} : { message }),
        ...(overlay ? { overlay } : {}),
        footer: options.footer,
      };
    },
    onKey(key) {
      const isOpen = overlay !== undefined;
      overlay = undefined;
      if (key !== 'w') whyOf = -1;
      if (isOpen && !'tpraRw'.includes(key)) return;
      act(key).catch((error: unknown) => say(`failed: ${error instanceof Error ? error.message : error}`));
    },
    async stop() {
      await story?.ended.catch(() => undefined);
      operator.close();
    },
  };
}

/** The controllers and the scheduler; they run while the demo does. */
export function populateDemo({ cluster }: Simulation): { stop(): void } {
  return startWorkloads(cluster, workloads);
}

/** A node whose GPUs no rule names yet. */
function nextNode(cluster: Simulation['cluster']): string {
  const named = new Set(writtenRules(cluster).map(({ metadata }) => metadata.name));
  const free = gpuNodes.filter((name) => name !== chatNode && !named.has(`tainted-${name}`));
  return free[0] ?? chatNode;
}
