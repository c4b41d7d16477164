// Rounds of one system: creates pods, taints their devices with a rule, and measures the evictions.
import { loadavg } from 'node:os';
import { type DeleteTimes, endRule, evictAll } from './deletes.ts';
import { empty, fill } from './load.ts';
import { type Running, type SystemName, sluiceParts } from './systems.ts';
import { threadsOf, usageOf } from './usage.ts';

/** Disables rate limiting (docs/pace.md). */
export const unpaced = { perSecond: 10_000, burst: 10_000 };

export interface Round {
  readonly system: SystemName;
  readonly pods: number;
  readonly deleted: number;
  /** Deleted pods that are not of the round; must be 0. */
  readonly wrong: number;
  readonly times: DeleteTimes;
  /** Processor time by part, over the round until the system is idle again. */
  readonly processorMs: Readonly<Record<string, number>>;
  /** The same by name of the system's threads. */
  readonly threadMs: Readonly<Record<string, number>>;
  /** Peak memory by part, since the start of its processes. */
  readonly peakMiB: Readonly<Record<string, number>>;
  /** API calls by verb and resource. */
  readonly calls: Readonly<Record<string, number>>;
  /** Load average (1 min) at the start. */
  readonly load: number;
}

export interface Order {
  readonly name: string;
  readonly pods: number;
  /** Number of deletes after which the round ends. */
  readonly enough?: number;
  readonly rate?: { readonly perSecond: number; readonly burst: number };
  readonly mostMs: number;
}

export async function playRound(running: Running, order: Order): Promise<Round> {
  const { controlPlane, name: system } = running;
  const { client } = controlPlane;
  const { name, pods, enough = pods, rate = unpaced, mostMs } = order;
  const uids = await fill(client, name, pods);
  await running.quiet();
  const before = measure(running);
  const threadsBefore = measureThreads(running);
  const [load = 0] = loadavg();
  const began = Date.now();
  const { times, deleted } = await evictAll(client, { rule: name, enough, rate, mostMs });
  if (enough === pods) await running.quiet();
  const after = measure(running);
  const threadsAfter = measureThreads(running);
  const calls = count(running.calls(began).map(({ verb, resource }) => `${verb} ${resource}`));
  await endRule(client, name);
  if (enough === pods) await empty(client);
  return {
    system,
    pods,
    deleted: deleted.size,
    wrong: [...deleted].filter((uid) => !uids.has(uid)).length,
    times,
    processorMs: Object.fromEntries(
      Object.entries(after).map(([part, { processorMs }]) => [part, processorMs - (before[part]?.processorMs ?? 0)]),
    ),
    threadMs: Object.fromEntries(
      Object.entries(threadsAfter).map(([name, ms]) => [name, ms - (threadsBefore[name] ?? 0)]),
    ),
    peakMiB: Object.fromEntries(Object.entries(after).map(([part, { peakMiB }]) => [part, peakMiB])),
    calls,
    load,
  };
}

/** Processor time of the system itself, without the control plane that every system needs. */
export function ownProcessorMs({ system, processorMs }: Round): number {
  const own = system === 'sluice' ? sluiceParts : ['kube-controller-manager'];
  return own.reduce((sum, part) => sum + (processorMs[part] ?? 0), 0);
}

/** Deletes per second from the rule to the last delete. */
export function perSecond({ times }: Pick<Round, 'times'>): number {
  const last = times.at(-1) ?? 0;
  return last > 0 ? (times.length * 1000) / last : 0;
}

export function isComplete({ pods, deleted, wrong }: Round, enough = pods): boolean {
  return deleted >= enough && wrong === 0;
}

type Spent = Record<string, { processorMs: number; peakMiB: number }>;

function measure(running: Running): Spent {
  const spent: Spent = {};
  for (const [part, pids] of running.parts()) {
    const all = pids.flatMap((pid) => usageOf(pid) ?? []);
    spent[part] = {
      processorMs: all.reduce((sum, one) => sum + one.processorMs, 0),
      peakMiB: all.reduce((sum, one) => sum + one.peakMiB, 0),
    };
  }
  return spent;
}

function measureThreads(running: Running): Readonly<Record<string, number>> {
  const own = [...running.parts()].flatMap(([part, pids]) => (sluiceParts.includes(part) ? pids : []));
  const spent: Record<string, number> = {};
  for (const pid of own) for (const [name, ms] of Object.entries(threadsOf(pid))) spent[name] = (spent[name] ?? 0) + ms;
  return spent;
}

function count(names: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
