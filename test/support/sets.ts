// Sets of pods, each on the devices of its own pool, and rules for them, processed by all stages.
import type { Change } from '../../lib/model/change.ts';
import type { Token } from '../../lib/model/eviction.ts';
import type { DeviceToleration } from '../../lib/model/objects.ts';
import { type AnyRule, ruleRef } from '../../lib/model/rule.ts';
import type { Instant } from '../../lib/model/time.ts';
import { aClaim, aHeartbeat, aPacedRule, aPod, nextVersion, upserted } from './objects.ts';
import { createWorld, type World } from './world.ts';

export const start = 1_800_000_000_000;

export interface Sets {
  readonly world: World;
  ingest(...changes: readonly Change[]): Promise<void>;
  write(rule: AnyRule): Promise<void>;
  run(seconds: number): Promise<void>;
  /** Deletion times of a set's pods in milliseconds from the start, ascending; `by`: only up to this second. */
  gone(set: string, by?: number): readonly number[];
  /** Number of deletes that used the limiter's tokens. */
  charged(limiter: string): number;
}

export interface SetOfPods {
  readonly pods: number;
  readonly tolerations?: readonly DeviceToleration[];
}

/** Pods are named `<set>-<number>`; pools have the names of their sets. */
export async function setsOf(sets: Readonly<Record<string, SetOfPods>>): Promise<Sets> {
  const world = createWorld({ start });
  const ingest = async (...body: readonly Change[]) => {
    for (let i = 0; i < body.length; i += 10)
      await world.deliver({ stage: 'ingest', at: world.now(), body: body.slice(i, i + 10) });
  };
  await ingest(aHeartbeat(start));
  for (const [pool, { pods, tolerations = [] }] of Object.entries(sets))
    for (let i = 0; i < pods; i++) {
      const name = `${pool}-${i}`;
      world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
      const devices = [{ request: 'gpu', driver: 'gpu.example.com', pool, device: name, tolerations }];
      await ingest(upserted(aClaim(name, name, { allocation: { devices } })), upserted(aPod(name)));
    }
  return {
    world,
    ingest,
    async write(rule) {
      const shown = { ...rule, resourceVersion: nextVersion() };
      world.api.rules.set(ruleRef(rule), {
        rule: shown,
        conditions: world.api.rules.get(ruleRef(rule))?.conditions ?? [],
      });
      await ingest(upserted(shown));
    },
    async run(seconds) {
      const until = world.now() + seconds * 1000;
      while (world.now() < until) {
        await world.runUntil(Math.min(until, world.now() + 10_000));
        await ingest(aHeartbeat(world.now()));
      }
    },
    gone: (set, by = Number.POSITIVE_INFINITY) =>
      world.api.deletes
        .filter(({ pod, at }) => pod.name.startsWith(`${set}-`) && at < start + by * 1000)
        .map(({ at }) => at - start)
        .sort((a, b) => a - b),
    charged: (limiter) =>
      world.table.rows().filter(({ pk, token }) => {
        return pk.includes('#RECORD#') && (token as Token | undefined)?.limiter === limiter;
      }).length,
  };
}

/** A PacedTaintRule for one set, with timeAdded at the start; a rate of `undefined` is left out. */
export function pacedOver(pool: string, rates: Readonly<Record<string, { perSecond?: number; burst?: number }>>) {
  const taints = Object.entries(rates).map(([key, { perSecond, burst }]) => ({
    key,
    effect: 'NoExecute',
    ...(perSecond === undefined ? {} : { evictionsPerSecond: perSecond }),
    ...(burst === undefined ? {} : { burst }),
  }));
  const seen = taints.map(({ key, effect }) => ({ key, effect, timeAdded: start }));
  return aPacedRule(`over-${pool}`, { deviceSelector: { pool }, taints, seen });
}

export function limiterOf(pool: string, key: string): string {
  return `rule|uid-over-${pool}|${key}|NoExecute`;
}

/** At most burst + rate·t deletes in any window of t seconds, with one second of lateness allowed. */
export function keepsPace(at: readonly Instant[], { perSecond, burst }: { perSecond: number; burst: number }): boolean {
  return at.every((from, i) =>
    at.slice(i).every((to, k) => k + 1 <= burst + perSecond * ((to - from) / 1000 + 1) + 1e-6),
  );
}
