// Plays a history in every order of its events, with repetitions, and reports what was seen after each step.

import { isDeepStrictEqual } from 'node:util';
import { evaluate } from '../../lib/decide/evaluate.ts';
import { nameKey, poolKey } from '../../lib/model/identity.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { t0 } from '../support/builders.ts';
import { versionStep } from './apiServerModel.ts';
import { Driver } from './driver.ts';
import type { Event, Expectation, History, Step } from './scenario.ts';

/** How a watch may repeat changes: not at all, each twice, or all so far again after each step. */
export const repetitions = ['once', 'each twice', 'all again'] as const;
export type Repetition = (typeof repetitions)[number];

export interface Play {
  /** The order of events in each step. */
  readonly orders: readonly (readonly number[])[];
  readonly repetition: Repetition;
}

/** Every order of every step's events, with every kind of repetition. */
export function* playsOf(history: History): Generator<Play> {
  const lengths = history.steps.map((step) => step.events?.length ?? 0);
  for (const repetition of repetitions) {
    if (history.once) yield { orders: lengths.map((length) => [...Array(length).keys()]), repetition };
    else for (const orders of product(lengths.map((length) => [...permutations(length)]))) yield { orders, repetition };
  }
}

function product<T>(choices: readonly (readonly T[])[]): readonly (readonly T[])[] {
  return choices.reduce<readonly (readonly T[])[]>(
    (chosen, choice) => chosen.flatMap((before) => choice.map((one) => [...before, one])),
    [[]],
  );
}

export function* permutations(length: number): Generator<readonly number[]> {
  if (length === 0) return yield [];
  for (const rest of permutations(length - 1)) {
    for (let at = rest.length; at >= 0; at--) yield [...rest.slice(0, at), length - 1, ...rest.slice(at)];
  }
}

interface Difference {
  readonly seen: Expectation;
  readonly want: Expectation;
  readonly where: string;
}

/** Plays a history in all variants and yields what differs from the expectation. */
export function* differences(history: History): Generator<Difference> {
  for (const one of playsOf(history)) {
    for (const [step, { seen, want }] of play(history, one).entries()) {
      if (isDeepStrictEqual(seen, want)) continue;
      yield { seen, want, where: `step ${step}, ${one.repetition}, orders ${JSON.stringify(one.orders)}` };
    }
  }
}

/** What was seen after each step, in the form of the expectation, with its defaults filled in. */
export function play(
  history: History,
  { orders, repetition }: Play,
): readonly { seen: Expectation; want: Expectation }[] {
  const driver = new Driver(history.settings, history.finalized);
  const stamped = stamp(history);
  for (const object of stamped.given) driver.api.happen({ type: 'Put', object });
  driver.load(stamped.given);
  driver.settle(driver.now);
  const told: Event[] = [];
  let causal = true;
  return stamped.steps.map((step, i) => {
    const order = orders[i] ?? [];
    causal &&= isCausal(step.events ?? [], order);
    told.push(...order.flatMap((at) => step.events?.[at] ?? []));
    take(driver, step, { order, repetition, told });
    return compare(driver, step.expect, causal);
  });
}

interface Telling extends Pick<Play, 'repetition'> {
  readonly order: readonly number[];
  /** All changes so far, in the order in which the watch reported them. */
  readonly told: readonly Event[];
}

function take(driver: Driver, step: Step, how: Telling): void {
  const events = step.events ?? [];
  for (const event of [...events, ...(step.unseen ?? [])]) driver.api.happen(event);
  driver.api.afterMark = step.afterMark ?? [];
  driver.api.failures = [...(step.failures ?? [])];
  driver.api.deleteTakes = step.deleteTakes ?? 0;
  const ordered = how.order.flatMap((at) => events[at] ?? []);
  for (const event of ordered) {
    driver.tell(event);
    if (how.repetition === 'each twice') driver.tell(event);
  }
  if (how.repetition === 'all again') for (const event of how.told) driver.tell(event);
  if (step.relist) driver.relist();
  if (!step.held) driver.settle(driver.now + (step.advance ?? 0) * 1000);
}

/** Gives each object a version by its position in the history. */
export function stamp(history: History): { given: readonly ObjectProjection[]; steps: readonly Step[] } {
  let version = 0;
  const stampObject = <T extends ObjectProjection>(object: T): T => {
    version += versionStep;
    return { ...object, resourceVersion: String(version) };
  };
  const stampAll = (events: readonly Event[] = []) =>
    events.map((event) => ({ ...event, object: stampObject(event.object) }));
  const given = (history.given ?? []).map(stampObject);
  const steps = history.steps.map((step) => {
    const events = stampAll(step.events);
    return { ...step, events, unseen: stampAll(step.unseen), afterMark: stampAll(step.afterMark) };
  });
  return { given, steps };
}

/** Whether the versions of each object are reported in order. */
function isCausal(events: readonly Event[], order: readonly number[]): boolean {
  const seen = new Map<string, number>();
  return order.every((at) => {
    const object = events[at]?.object;
    const key = object ? `${object.kind}/${'namespace' in object ? nameKey(object) : object.name}` : '';
    const isLater = at > (seen.get(key) ?? -1);
    seen.set(key, at);
    return isLater;
  });
}

function compare(driver: Driver, expected: Expectation, causal: boolean): { seen: Expectation; want: Expectation } {
  const cancelled = driver.messages.filter((message) => message.startsWith('Cancelling deletion')).length;
  const marked = driver.messages.filter((message) => message.startsWith('Marking for deletion')).length;
  const want: Expectation = {
    deleted: [],
    marked: expected.deleted?.length ?? 0,
    cancelled: 0,
    planned: {},
    unknown: [],
    ...expected,
  };
  const fewer = !causal && cancelled < (want.cancelled ?? 0);
  const seen: Expectation = {
    deleted: driver.api.deleted.toSorted(),
    marked,
    cancelled: fewer ? (want.cancelled ?? 0) : cancelled,
    planned: plannedOf(driver),
    unknown: unknownOf(driver),
    ...(expected.reasons && { reasons: reasonsOf(driver) }),
    ...(expected.conditions && { conditions: conditionsOf(driver) }),
    ...(expected.conditionWrites && { conditionWrites: writesOf(driver) }),
    ...(expected.calls && { calls: [...driver.api.calls] }),
    ...(expected.durations && { durations: [...driver.durations] }),
    ...(expected.pools && { pools: poolsSeen(driver) }),
    ...(expected.idle && driver.nextWork() === undefined && { idle: true as const }),
  };
  return { seen, want };
}

function plannedOf(driver: Driver): Readonly<Record<string, number>> {
  return Object.fromEntries(
    openLedgers(driver).map(({ name, ledger }) => {
      const due = Math.min(...ledger.listings.map((listing) => listing.dueAt));
      return [name, (due - t0) / 1000];
    }),
  );
}

function openLedgers(driver: Driver) {
  return [...driver.ledgers]
    .filter(([, ledger]) => ledger.state === 'Pending')
    .map(([key, ledger]) => ({ name: key.split('/')[2] ?? key, ledger }));
}

function unknownOf(driver: Driver): readonly string[] {
  const snapshot = driver.snapshot();
  const verdicts = evaluate(snapshot);
  return snapshot.pods.filter((pod) => verdicts.get(pod.uid)?.kind === 'Unknown').map((pod) => pod.name);
}

function reasonsOf(driver: Driver): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    openLedgers(driver).map(({ name, ledger }) => [
      name,
      ledger.because.map(({ origin, device }) =>
        origin.kind === 'Rule' ? `rule ${origin.name}` : `slice ${origin.name} ${device.device}/${origin.index}`,
      ),
    ]),
  );
}

function conditionsOf(driver: Driver): Readonly<Record<string, string>> {
  return Object.fromEntries(
    driver.snapshot().rules.map((rule) => {
      const last = driver.conditions.get(rule.uid)?.at(-1);
      return [rule.name, last ? `${last.status} ${last.reason}: ${last.message}` : 'none'];
    }),
  );
}

function writesOf(driver: Driver): Readonly<Record<string, number>> {
  return Object.fromEntries(
    driver.snapshot().rules.map((rule) => [rule.name, driver.conditions.get(rule.uid)?.length ?? 0]),
  );
}

function poolsSeen(driver: Driver): readonly string[] {
  return [...driver.snapshot().pools.values()]
    .map((one) => `${poolKey(one.driver, one.name)}@${one.generation}`)
    .sort();
}
