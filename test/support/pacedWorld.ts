// A test world with a watch: status writes to rules come back as changes, as from an API server.
import type { Change } from '../../lib/model/change.ts';
import type { Device } from '../../lib/model/objects.ts';
import { allOwned, type ConfiguredModes } from '../../lib/model/ownership.ts';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import type { PacedTaintRule } from '../../lib/model/rule.ts';
import { ruleRef } from '../../lib/model/rule.ts';
import type { Settings } from '../../lib/model/snapshot.ts';
import type { DeviceTaintSlice } from '../../lib/model/taintSlice.ts';
import type { Milliseconds } from '../../lib/model/time.ts';
import type { Around } from './around.ts';
import { aClaim, aHeartbeat, aPod, aSlice, nextVersion, upserted } from './objects.ts';
import { createWorld, type World } from './world.ts';

export const start = 1_800_000_000_000;

export interface PacedWorld {
  readonly world: World;
  ingest(...changes: readonly Change[]): Promise<void>;
  /** Writes a rule or a new version of it, and delivers the watch event. */
  write(rule: PacedTaintRule): Promise<void>;
  /** Like `write`, for a DeviceTaintSlice. */
  publish(slice: DeviceTaintSlice): Promise<void>;
  /** Like `write`, for an EvictionPolicy. */
  ask(policy: EvictionPolicy): Promise<void>;
  /** Advances the clock; heartbeats and status changes arrive as in operation. */
  run(seconds: number): Promise<void>;
  /** Names of deleted pods, sorted. */
  gone(): readonly string[];
  /** The rule in the API server. */
  live(name: string): PacedTaintRule | undefined;
  condition(name: string, type: string): { status: string; reason: string; message: string } | undefined;
}

/** One pod per device, with the device's name; every device in a separate slice. */
export async function pacedWorld(
  devices: Readonly<Record<string, Omit<Device, 'name'>>>,
  settings: Partial<Settings> = {},
  modes: () => ConfiguredModes = () => allOwned,
  evictLag: Milliseconds = 0,
  around?: Around,
): Promise<PacedWorld> {
  const world = createWorld({ start, settings, modes, evictLag, ...(around ? { around } : {}) });
  const names = Object.keys(devices);
  const told = new Map<string, string>();
  const ingest = async (...body: readonly Change[]) => {
    for (let i = 0; i < body.length; i += 10)
      await world.deliver({ stage: 'ingest', at: world.now(), body: body.slice(i, i + 10) });
  };
  const tell = async () => {
    for (const { rule } of world.api.rules.values()) {
      if (rule.kind !== 'PacedTaintRule' || told.get(rule.uid) === rule.resourceVersion) continue;
      // The fake's status writes increment the version by one; the test's own versions are higher.
      const shown = { ...rule, resourceVersion: nextVersion() };
      told.set(rule.uid, shown.resourceVersion);
      world.api.rules.set(ruleRef(rule), { conditions: [], ...world.api.rules.get(ruleRef(rule)), rule: shown });
      await ingest(upserted(shown));
    }
    for (const slice of [...world.api.slices.values()]) {
      if (told.get(slice.uid) === slice.resourceVersion) continue;
      const shown = { ...slice, resourceVersion: nextVersion() };
      told.set(slice.uid, shown.resourceVersion);
      world.api.slices.set(slice.name, shown);
      await ingest(upserted(shown));
    }
  };
  const paced: PacedWorld = {
    world,
    ingest,
    async write(rule) {
      const known = { conditions: [], ...world.api.rules.get(ruleRef(rule)) };
      const seen = paced.live(rule.name)?.seen ?? rule.seen;
      world.api.rules.set(ruleRef(rule), { ...known, rule: { ...rule, seen, resourceVersion: nextVersion() } });
      await tell();
    },
    async publish(slice) {
      const seen = world.api.slices.get(slice.name)?.seen ?? slice.seen;
      world.api.slices.set(slice.name, { ...slice, seen, resourceVersion: nextVersion() });
      await tell();
    },
    async ask(policy) {
      const shown = { ...policy, resourceVersion: nextVersion() };
      const conditions = world.api.policyObjects.get(policy.name)?.conditions ?? [];
      world.api.policyObjects.set(policy.name, { policy: shown, conditions });
      await ingest(upserted(shown));
    },
    async run(seconds) {
      for (let passed = 0; passed < seconds; passed++) {
        await world.runUntil(world.now() + 1000);
        await tell();
        if (passed % 10 === 9) await ingest(aHeartbeat(world.now()));
      }
    },
    gone: () => world.api.deletes.map(({ pod }) => pod.name).sort(),
    live(name) {
      const rule = world.api.rules.get(`PacedTaintRule/${name}`)?.rule;
      return rule?.kind === 'PacedTaintRule' ? rule : undefined;
    },
    condition: (name, type) =>
      world.api.rules.get(`PacedTaintRule/${name}`)?.conditions.find((one) => one.type === type),
  };
  for (const name of names)
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  await ingest(aHeartbeat(start));
  await ingest(
    ...names.map((name) => upserted(aSlice(`slice-${name}`, { devices: [{ name, ...devices[name] }] }))),
    ...names.flatMap((name) => [upserted(aClaim(name, name)), upserted(aPod(name))]),
  );
  return paced;
}
