// Random histories: each is small, and they differ much from one another.
import type { Action, History, HistoryEvent, Luck, Model, Pace, PacedSelector, Selector } from './history.ts';
import { noLuckNeeded } from './history.ts';
import { createRandom, type Random } from './random.ts';

const pods = 6;
const devices = 4;
const minute = 60_000;

/** The history of a number: always the same with the same generator. */
export function historyOf(seed: number): History {
  const random = createRandom(seed).fork('history');
  const length = (2 + random.int(4)) * minute;
  const first = Array.from({ length: 3 + random.int(pods - 2) }, (_, pod) => podAction(random, pod));
  const later = Array.from({ length: 4 + random.int(12) }, () => action(random));
  const events = [
    ...first.map((one): HistoryEvent => ({ at: random.int(5000), action: one })),
    ...later.flatMap((one) => eventsOf(random, { at: 5000 + random.int(length - 10_000), action: one })),
  ].toSorted((a, b) => a.at - b.at);
  return {
    seed,
    watchers: random.chance(0.4) ? 2 : 1,
    comesBack: random.chance(0.4),
    luck: luckOf(random),
    length,
    events,
  };
}

/** A cluster that is created again gets its pods again. */
function eventsOf(random: Random, event: HistoryEvent): readonly HistoryEvent[] {
  if (event.action.do !== 'NewCluster') return [event];
  const again = Array.from({ length: 1 + random.int(pods) }, (_, pod) => podAction(random, pod));
  return [event, ...again.map((action) => ({ at: event.at + random.int(5000), action }))];
}

/** A history has only some of the faults, so that each also occurs without the others. */
function luckOf(random: Random): Luck {
  const some = <T>(value: T, none: T) => (random.chance(0.4) ? value : none);
  return {
    ...noLuckNeeded,
    twice: some(0.2, 0),
    lost: some(0.1, 0),
    delay: some(60_000, 300),
    crash: some(0.15, 0),
    stall: some(0.02, 0),
    stallTime: 4000,
    throttled: some(0.03, 0),
    unheard: some(0.02, 0),
    lagging: some(0.3, 0),
    refused: some(0.05, 0),
    skew: some(500, 0),
    watcherSkew: some(60 * minute, 0),
  };
}

function podAction(random: Random, pod: number): Action {
  const tolerates = random.chance(0.2) ? { tolerates: random.pick([5, 30, 90]) } : {};
  return { do: 'Pod', pod, device: random.int(devices), ...tolerates };
}

function paceOf(random: Random): Pace {
  return random.pick([
    { perSecond: 10, burst: 10 },
    { perSecond: 0.2, burst: 1 },
    { perSecond: 0.05, burst: 1 },
    { perSecond: 1, burst: 2 },
    { perSecond: 0, burst: 1 },
  ]);
}

function selector(random: Random): Selector {
  return random.pick<Selector>([
    { device: random.int(devices) },
    { pool: random.int(2) },
    { device: random.int(devices) },
    { driver: true },
  ]);
}

function pacedSelector(random: Random): PacedSelector {
  return random.pick<PacedSelector>([selector(random), { model: random.pick<Model>(['old', 'new']) }, { class: true }]);
}

function classAction(random: Random): Action {
  return random.pick<Action>([{ do: 'Class', model: 'old' }, { do: 'Class', model: 'new' }, { do: 'Class' }]);
}

function annotateAction(random: Random): Action {
  const tolerates = random.pick(['Everything', 'Everything', 'Nothing', 'Unreadable'] as const);
  return { do: 'Annotate', pod: random.int(pods), tolerates };
}

function ruleAction(random: Random): Action {
  return {
    do: 'Rule',
    rule: random.int(2),
    selector: selector(random),
    effect: random.chance(0.8) ? 'NoExecute' : 'None',
    ...(random.chance(0.6) ? { pace: paceOf(random) } : {}),
    ...(random.chance(0.15) ? { paused: true as const } : {}),
  };
}

function pacedAction(random: Random): Action {
  const pace = random.chance(0.6) ? { pace: paceOf(random) } : {};
  const paused = random.chance(0.15) ? { paused: true as const } : {};
  return { do: 'Paced', rule: random.int(2), selector: pacedSelector(random), ...pace, ...paused };
}

/** Kinds whose API group is disabled, or whose definitions are deleted for a while. */
const mayBeMissing = [
  'resourceslices',
  'devicetaintrules',
  'pacedtaintrules',
  'devicetaintslices',
  'evictionpolicies',
  'evictionstops',
  'deviceclasses',
];

/** Actions with their weights. */
const actions: readonly (readonly [weight: number, make: (random: Random) => Action])[] = [
  [5, (random) => ({ do: 'Taint', device: random.int(devices) })],
  [4, (random) => ({ do: 'Untaint', device: random.int(devices) })],
  [6, ruleAction],
  [3, (random) => ({ do: 'RemoveRule', rule: random.int(2) })],
  [3, pacedAction],
  [1, (random) => ({ do: 'RemovePaced', rule: random.int(2) })],
  [2, (random) => ({ do: 'AgentTaint', device: random.int(devices) })],
  [2, (random) => ({ do: 'AgentUntaint', device: random.int(devices) })],
  [2, (random) => ({ do: 'Policy', pace: paceOf(random), ...(random.chance(0.2) ? { paused: true as const } : {}) })],
  [3, (random) => ({ do: 'Attribute', device: random.int(devices), model: random.pick<Model>(['old', 'new']) })],
  [2, classAction],
  [1, () => ({ do: 'RemoveClass' })],
  [3, annotateAction],
  [2, (random) => ({ do: 'RemovePod', pod: random.int(pods) })],
  [3, (random) => podAction(random, random.int(pods))],
  [2, (random) => ({ do: 'RestartWatcher', watcher: random.int(2) })],
  [1, (random) => ({ do: 'PartitionWatcher', watcher: random.int(2), for: random.int(minute) })],
  [1, (random) => ({ do: 'MuteWatcher', watcher: random.int(2), for: random.int(minute) })],
  [1, () => ({ do: 'Compact' })],
  [1, (random) => ({ do: 'ApiServerDown', for: random.int(20_000) })],
  [1, () => ({ do: 'Redrive' })],
  [1, () => ({ do: 'Pause' })],
  [1, () => ({ do: 'Resume' })],
  [2, (random) => ({ do: 'Stop', for: random.int(2 * minute) })],
  [1, () => ({ do: 'NewCluster' })],
  [
    1,
    (random) => ({
      do: 'Restore',
      versionsBack: 1 + random.int(40),
      toldAfter: random.int(random.pick([1000, minute])),
    }),
  ],
  [1, (random) => ({ do: 'RestoreTable', back: random.int(2 * minute) })],
  [1, (random) => ({ do: 'NotServed', plural: random.pick(mayBeMissing), for: random.int(2 * minute) })],
];

function action(random: Random): Action {
  let left = random.int(actions.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of actions) {
    left -= weight;
    if (left < 0) return make(random);
  }
  throw new Error('unreachable: the weights add up');
}
