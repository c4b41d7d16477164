// The running demo: story, fleet and terminal keys, with one snapshot per frame.
import { describeStops } from '../../model/stop.ts';
import type { Milliseconds } from '../../model/time.ts';
import type { Clock } from '../../ports.ts';
import type { State } from '../../state/state.ts';
import type { ClusterProgress, LastEviction } from '../../view/progress.ts';
import type { ProgressReader } from '../../view/readModel.ts';
import { scrolled } from '../../view/screen.ts';
import type { Chapter, Overlay, ScreenSnapshot } from '../../view/screenSnapshot.ts';
import { readWhy, renderWhy } from '../../view/why.ts';
import { inTurn, type KeyHandler, scrollKeys } from '../console/keys.ts';
import type { Known } from '../known.ts';
import type { Simulation } from '../simulation.ts';
import { nextNode, policies } from './acts.ts';
import { fleetManifests, workloads } from './fleet.ts';
import { countedIn, followFleet } from './fleetMoments.ts';
import { createFrames } from './frames.ts';
import { keysHelp } from './keysHelp.ts';
import { withNewRules } from './newRules.ts';
import {
  approveHeld,
  changeRate,
  createOperator,
  taintNode,
  taintSlices,
  togglePause,
  writtenRules,
} from './operator.ts';
import { currentStops, pausedNamespaces } from './pauses.ts';
import { withSliceNames } from './sliceNames.ts';
import { type Story, startStory } from './story.ts';
import { startWorkloads } from './workloads.ts';

/** Resources that users change, by kubectl, key or console. */
const actedOn: ReadonlySet<string> = new Set([
  'devicetaintrules',
  'devicetaintslices',
  'evictionpolicies',
  'evictionstops',
  'namespaces',
  'pacedtaintrules',
]);

/** Objects created before Sluice starts: fleet, pods and policies. */
export const demoManifests = [...fleetManifests(), ...policies];

export interface DemoOptions {
  readonly simulation: Simulation;
  readonly state: () => Promise<State>;
  readonly clock: Clock;
  readonly known: Known;
  readonly read: ProgressReader;
  /** Footer lines by current act. */
  readonly footer: (act: Chapter['act']) => readonly string[];
  /** Draws a frame at once after an action of the user. */
  readonly redraw: () => void;
  readonly signal: AbortSignal;
}

export interface Demo {
  snapshot(): Promise<ScreenSnapshot>;
  readonly onKey: KeyHandler;
  stop(): Promise<void>;
}

/** How long the answer to a key is shown. */
const shownFor: Milliseconds = 15_000;

export function startDemo(options: DemoOptions): Demo {
  const { simulation, clock, known, signal } = options;
  const { cluster } = simulation;
  const operator = createOperator(cluster);
  const unsubscribe = cluster.store.subscribe(({ resource }) => {
    if (actedOn.has(resource.plural)) options.redraw();
  });
  const fleet = followFleet(cluster, clock);
  const frames = createFrames();
  let progress: ClusterProgress | undefined;
  let story: Story | undefined;
  let message: string | undefined;
  let saidAt = 0;
  let overlay: Overlay | undefined;
  let explained: string | undefined;
  let named: ReadonlySet<string> = new Set();
  const say = (text: string) => {
    message = text;
    saidAt = clock.now();
  };
  const begin = () => {
    const begun = startStory({ cluster, operator, clock, progress: () => progress, signal });
    begun.ended.catch((error: unknown) => say(`the tutorial ended: ${error instanceof Error ? error.message : error}`));
    return begun;
  };
  const explain = async () => {
    const eviction = nextToExplain(progress?.last ?? [], explained);
    if (!eviction) return say('no pod was evicted yet');
    explained = eviction.pod.uid;
    const subject = `${eviction.pod.namespace}/${eviction.pod.name}`;
    const why = await readWhy(await options.state(), subject, clock.now());
    overlay = { title: `Why was ${subject} evicted?`, lines: renderWhy(subject, why) };
  };
  const pause = async () => {
    const toggled = await togglePause(cluster, operator, named);
    named = toggled.named;
    say(toggled.said);
  };
  const act = inTurn(async (key) => {
    if (key !== 'p') named = new Set();
    switch (key) {
      case 't':
        return say(await taintNode(operator, nextNode(cluster)));
      case 'p':
        return pause();
      case 'r':
      case 'R': {
        const rule = progress?.limiters.find(({ kind, state }) => kind === 'Rule' && state === 'Evicting');
        if (!rule) return say('no rule is evicting now');
        return say(
          await changeRate(cluster, operator, { rule: rule.name, perSecond: rule.rate.perSecond, up: key === 'r' }),
        );
      }
      case 'a':
        return say(await approveHeld(cluster, operator, clock.now()));
      case 'w':
        return explain();
      case '?':
        overlay = keysHelp;
        return;
      default:
        return;
    }
  });
  return {
    async snapshot() {
      const stops = currentStops(cluster);
      progress = await options.read(stops);
      const loading = known.loading(progress.watcher.isAlive);
      if (loading)
        return { at: progress.at, loading, ...(message === undefined ? {} : { message }), footer: options.footer(1) };
      story ??= begin();
      if (clock.now() - saidAt > shownFor) message = undefined;
      // Update the sentence first, so that it matches the numbers in the same frame.
      await story.look();
      const paused = describeStops(stops);
      const read = { progress, ...fleet.at(countedIn(progress)), chapter: story.chapter(), stops: paused };
      const shown = frames(read);
      return {
        ...shown,
        at: shown.progress.at,
        progress: withSliceNames(withNewRules(shown.progress, writtenRules(cluster)), taintSlices(cluster)),
        ...(stops.length > 0 ? { pausedBy: paused } : {}),
        pausedNamespaces: pausedNamespaces(cluster),
        ...(message === undefined ? {} : { message }),
        ...(overlay ? { overlay } : {}),
        footer: options.footer(shown.chapter.act),
      };
    },
    onKey(key) {
      if (!story) {
        if (key !== 'q') say('keys work as soon as the cluster is known');
        return false;
      }
      message = undefined;
      const by = scrollKeys.get(key);
      if (overlay && by !== undefined) {
        overlay = scrolled(overlay, by);
        options.redraw();
        return false;
      }
      const open = overlay;
      overlay = undefined;
      if (key !== 'w') explained = undefined;
      options.redraw();
      // The list names keys that change the cluster, and its reader presses any key to close it.
      if (open?.title === keysHelp.title || (open && !'tpraRw'.includes(key))) return true;
      act(key)
        .catch((error: unknown) => say(`failed: ${error instanceof Error ? error.message : error}`))
        .finally(options.redraw);
      return false;
    },
    async stop() {
      unsubscribe();
      fleet.stop();
      await story?.ended.catch(() => undefined);
      operator.close();
    },
  };
}

/** The eviction to explain next: the newest first, then older ones in turn, then the newest again. */
export function nextToExplain(last: readonly LastEviction[], explained: string | undefined): LastEviction | undefined {
  const index = explained === undefined ? -1 : last.findIndex(({ pod }) => pod.uid === explained);
  return last[Math.min(index + 1, last.length - 1)];
}

/** Starts the simulated controllers and scheduler. */
export function populateDemo({ cluster }: Simulation): { stop(): void } {
  return startWorkloads(cluster, workloads);
}
