// Plays the demo's three acts over and over, and says at each moment what is happening and what to watch.
import { pausedAnnotation } from '../../decide/pauses.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { Clock } from '../../ports.ts';
import type { ClusterProgress, LimiterProgress } from '../../view/progress.ts';
import type { Chapter } from '../../view/screenSnapshot.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { listAt } from '../cluster/object.ts';
import { badDriver, badNodes, brokenGpu, brokenGpuPolicy, canaryHold, doubtful, gpuDriver } from './acts.ts';
import { driverVersions } from './fleet.ts';
import { byKey, type Operator, writtenRules } from './operator.ts';

export interface StoryOptions {
  readonly cluster: Cluster;
  readonly operator: Operator;
  readonly clock: Clock;
  /** The newest picture; undefined before the first one. */
  readonly progress: () => ClusterProgress | undefined;
  readonly signal: AbortSignal;
}

export interface Story {
  /** What the tutorial shows now. */
  chapter(): Chapter;
  /** Ends after the signal, or with what went wrong. */
  readonly ended: Promise<void>;
}

/** How long a step waits for what it expects before the tutorial continues without it. */
const patience: Milliseconds = 120_000;
const reading: Milliseconds = 5000;
const look: Milliseconds = 250;
const doubtFor: Milliseconds = 20_000;
const stopFor: Milliseconds = 6000;

export function startStory(options: StoryOptions): Story {
  const { signal } = options;
  let chapter: Chapter = { act: 1, title: acts[0].title, watch: 'The first act begins when the cluster is known.' };
  const stage = stageOf(options, (next) => {
    chapter = next;
  });
  const ended = (async () => {
    while (!signal.aborted)
      for (const act of acts) {
        if (signal.aborted) return;
        await act.play(stage);
        await removeTaintsByKey(options);
      }
  })();
  return { chapter: () => chapter, ended };
}

/** What an act needs to play. */
interface Stage extends StoryOptions {
  say(act: Chapter['act'], watch: string, until?: Instant): void;
  /** Until it holds, at most for `most` milliseconds; at once where the demo ends. */
  wait(holds: () => boolean, most?: Milliseconds): Promise<void>;
}

function stageOf(options: StoryOptions, show: (chapter: Chapter) => void): Stage {
  const { clock, signal } = options;
  return {
    ...options,
    say: (act, watch, until) =>
      signal.aborted ||
      show({ act, title: acts[act - 1]?.title ?? '', watch, ...(until === undefined ? {} : { until }) }),
    async wait(holds, most = patience) {
      const end = clock.now() + most;
      while (!signal.aborted && clock.now() < end && !holds()) await clock.sleep(look);
    },
  };
}

const never = () => false;

function limiterOf(stage: Stage, uid: string | undefined): LimiterProgress | undefined {
  return stage.progress()?.limiters.find(({ limiter }) => uid !== undefined && limiter.includes(uid));
}

function uidOf({ cluster }: Stage, plural: string, name: string): string | undefined {
  return cluster.store.get(cluster.resource(plural), name)?.metadata.uid;
}

function isDone(limiter: LimiterProgress | undefined): boolean {
  return limiter?.state === 'Completed' && !limiter.isEvaluating;
}

async function playBadDriver(stage: Stage): Promise<void> {
  const { operator, clock } = stage;
  stage.say(1, `Someone rolls out GPU driver ${driverVersions.bad} to ${badNodes.length} nodes. It is a bad version.`);
  for (const slice of gpuDriver('bad')) await operator.apply(slice);
  await stage.wait(never, reading);
  await operator.apply(badDriver);
  const uid = uidOf(stage, 'pacedtaintrules', 'bad-driver');
  const limiter = () => limiterOf(stage, uid);
  stage.say(1, 'Watch: a CEL expression finds the devices. Three canary pods are evicted first, then Sluice waits.');
  await stage.wait(() => (limiter()?.counts.evicted ?? 0) >= 3);
  stage.say(1, 'Watch: the canary holds. Nothing else is evicted until it passes.', clock.now() + canaryHold);
  await stage.wait(() => (limiter()?.counts.evicted ?? 0) > 3, canaryHold * 4);
  stage.say(
    1,
    'Watch: the other pods go at 4 per second and come back on good nodes. Press r or R to change the rate.',
  );
  await stage.wait(() => isDone(limiter()));
  stage.say(1, 'Done. The driver is rolled back and the rule is deleted.', clock.now() + reading);
  await stage.wait(never, reading);
  for (const slice of gpuDriver('good')) await operator.apply(slice);
  await operator.remove('PacedTaintRule', 'bad-driver');
}

async function playDoubtfulAgent(stage: Stage): Promise<void> {
  const { operator, clock } = stage;
  stage.say(2, 'A health agent is about to report half of the TPUs in pool rack-a unhealthy, all at once.');
  await stage.wait(never, reading);
  await operator.apply(doubtful);
  const until = clock.now() + doubtFor;
  stage.say(2, 'Watch: so many at once may be a broken agent, so Sluice holds them. Press a to approve.', until);
  const slice = () => stage.progress()?.limiters.find(({ limiter }) => limiter.includes('example.com/unhealthy'));
  const evicted = slice()?.counts.evicted ?? 0;
  const isApproved = () => (slice()?.counts.evicted ?? 0) > evicted;
  await stage.wait(isApproved, doubtFor);
  if (isApproved()) {
    stage.say(2, 'Approved: the pods are evicted at 4 per second.');
    await stage.wait(() => isDone(slice()));
  }
  await operator.remove('DeviceTaintSlice', 'tpu-health-agent');
  const outcome = isApproved() ? 'The agent was right this time.' : 'Not one pod was evicted.';
  stage.say(2, `The agent takes its taints back. ${outcome}`, clock.now() + reading);
  await stage.wait(never, reading);
}

async function playBrokenGpu(stage: Stage): Promise<void> {
  const { operator, clock, cluster } = stage;
  const { manifest, opensAt } = brokenGpuPolicy(clock.now());
  await operator.apply(manifest);
  await stage.wait(() => isAccepted(cluster), reading);
  await operator.apply(brokenGpu);
  const uid = uidOf(stage, 'devicetaintrules', 'broken-gpus');
  const limiter = () => limiterOf(stage, uid);
  stage.say(
    3,
    'A node has broken GPUs. Watch: its pods may only be evicted in a window, which is closed now.',
    opensAt,
  );
  await stage.wait(() => (limiter()?.counts.evicted ?? 0) > 0, opensAt - clock.now() + 70_000);
  stage.say(3, 'Watch: the window is open. The budget of team serving lets four pods be away at a time.');
  await stage.wait(() => (limiter()?.counts.evicted ?? 0) > 1, 10_000);
  await pauseRule(stage, 'true');
  stage.say(3, 'Watch: someone stops the rule. No pod is evicted from now on.', clock.now() + stopFor);
  await stage.wait(never, stopFor);
  await pauseRule(stage, null);
  stage.say(3, 'Resumed. A pod that its budget keeps is tried again after 10 seconds.');
  await stage.wait(() => isDone(limiter()));
  stage.say(
    3,
    'Done. The GPUs are repaired and the rule is deleted. The three acts begin again.',
    clock.now() + reading,
  );
  await stage.wait(never, reading);
  await operator.remove('DeviceTaintRule', 'broken-gpus');
}

async function pauseRule({ cluster, operator }: Stage, value: string | null): Promise<void> {
  const rule = cluster.store.get(cluster.resource('devicetaintrules'), 'broken-gpus');
  if (rule) await operator.annotate(rule, { [pausedAnnotation]: value });
}

function isAccepted(cluster: Cluster): boolean {
  const policy = cluster.store.get(cluster.resource('evictionpolicies'), 'broken-gpus');
  return listAt(policy, 'status', 'conditions').length > 0;
}

async function removeTaintsByKey({ cluster, operator }: StoryOptions): Promise<void> {
  for (const { kind, metadata } of writtenRules(cluster))
    if (metadata.labels?.[byKey] !== undefined) await operator.remove(kind, metadata.name);
}

const acts = [
  { title: 'A bad driver version', play: playBadDriver },
  { title: 'A health agent in doubt', play: playDoubtfulAgent },
  { title: 'Broken GPUs, a budget, a window and a stop', play: playBrokenGpu },
] as const;
