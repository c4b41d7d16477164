// Mass-taint protection: detects when so many devices get the same taint at once that their observer may be broken.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { type DeviceId, deviceKey, poolKey } from '../model/identity.ts';
import type { EvictionPolicy, ObserverLimits } from '../model/policy.ts';
import { compareText } from '../model/snapshot.ts';
import type { StandingTaint, StandingTaints } from '../model/standing.ts';
import type { Instant, Milliseconds } from '../model/time.ts';
import { type Wave, type WaveOffer, type WaveScope, waveKey } from '../model/wave.ts';
import { policyFor } from './policy.ts';
import { type Candidate, type Count, type Counts, countOf, type Group, type Tainted } from './waveCounts.ts';
import { isGoodFor } from './waveHold.ts';

/** Input for finding waves; published devices are counted separately, one part of the pools at a time. */
export interface Watched {
  readonly standing: StandingTaints;
  readonly classes: ReadonlyMap<string, readonly string[]>;
  readonly policies: readonly EvictionPolicy[];
  /** Known waves: a wave lasts until the last of its taints is removed. */
  readonly known: readonly Wave[];
}

/** Possible waves, before published devices are counted. */
export function candidatesOf(watched: Watched): readonly Candidate[] {
  const known = new Map(watched.known.map((wave) => [waveKey(wave), wave]));
  return groupsOf(watched).flatMap((group) =>
    scopesOf(group, watched).map((scope) => {
      const identity = { policy: group.policy.name, scope, key: group.key };
      return { ...identity, group, known: known.get(waveKey(identity)) };
    }),
  );
}

/** All current waves, sorted. */
export function wavesOf(candidates: readonly Candidate[], counts: Counts): readonly Wave[] {
  const waves = candidates.flatMap((candidate) => waveOf(candidate, countOf(counts, candidate)) ?? []);
  return waves.sort((a, b) => compareText(waveKey(a), waveKey(b)));
}

/** Whether counting all devices could find a wave: one is known, or enough devices have the same taint. */
export function mayBeWaves(by: Pick<Watched, 'standing' | 'policies' | 'known'>): boolean {
  return by.known.length > 0 || groupsOf(by).some(({ tainted, limits }) => tainted.length >= limits.minDevices);
}

/** Whether a device (`driver|pool|device`) has a taint that a policy watches; other taints are irrelevant to waves. */
export function isWatchedFor(
  device: string,
  seen: readonly StandingTaint[],
  policies: readonly EvictionPolicy[],
): boolean {
  return watchedOn(parseDevice(device), seen, policies).length > 0;
}

function groupsOf({ standing, policies }: Pick<Watched, 'standing' | 'policies'>): readonly Group[] {
  const groups = new Map<string, Group & { readonly tainted: Tainted[] }>();
  for (const [id, seen] of standing) {
    const device = parseDevice(id);
    for (const { policy, key, since, sources } of watchedOn(device, seen, policies)) {
      const name = `${policy.name}|${key}`;
      const group = groups.get(name) ?? { policy, limits: policy.observer, key, tainted: [] };
      groups.set(name, group);
      group.tainted.push({ device, since, sources });
    }
  }
  return [...groups.values()];
}

/** The same taint from a driver and an agent counts once, from the earlier time. */
function watchedOn(device: DeviceId, seen: readonly StandingTaint[], policies: readonly EvictionPolicy[]) {
  const found = new Map<
    string,
    { policy: Watching; key: string; since: Instant; sources: StandingTaint['source'][] }
  >();
  for (const { source, key, since, liftedAt } of seen) {
    const policy = policyFor({ key, driver: device.driver, source }, policies);
    if (liftedAt !== undefined || !isWatching(policy)) continue;
    const name = `${policy.name}|${key}`;
    const other = found.get(name);
    const sources = [...(other?.sources ?? []), source];
    found.set(name, { policy, key, since: Math.min(since, other?.since ?? since), sources });
  }
  return [...found.values()];
}

type Watching = EvictionPolicy & { readonly observer: ObserverLimits };

function isWatching(policy: EvictionPolicy | undefined): policy is Watching {
  return policy?.observer !== undefined;
}

/** Pools and classes that the tainted devices may fill. A known wave keeps its scope, even if its class has changed. */
function scopesOf({ tainted, limits, policy, key }: Group, { classes, known }: Watched): readonly WaveScope[] {
  const mine = known.filter((wave) => wave.policy === policy.name && wave.key === key).map(({ scope }) => scope);
  // Stryker disable next-line ConditionalExpression: saves work only; the number is checked again for each scope
  if (tainted.length < limits.minDevices) return mine;
  const names = new Set(mine.map((scope) => waveKey({ policy: '', key: '', scope })));
  const pools = new Map(tainted.map(({ device: { driver, pool } }) => [poolKey(driver, pool), { driver, pool }]));
  const found: readonly WaveScope[] = [
    ...[...pools.values()].map((pool) => ({ kind: 'Pool', ...pool }) as const),
    ...[...classes].map(([name, selectors]) => ({ kind: 'Class', name, selectors }) as const),
  ];
  return [...mine, ...found.filter((scope) => !names.has(waveKey({ policy: '', key: '', scope })))];
}

function waveOf({ policy, scope, key, known, group }: Candidate, count: Count): Wave | undefined {
  const { tainted } = count;
  const { limits } = group;
  const devices = tainted.length;
  if (devices < (known ? 1 : limits.minDevices)) return undefined;
  const total = Math.max(devices, count.total);
  const sources = [...new Set(tainted.flatMap((one) => one.sources))].sort();
  if (known) return { ...known, sources, devices, total, offers: offersAfter(known, tainted) };
  const span = fullestSpan(
    tainted.map(({ since }) => since),
    limits.window,
  );
  if (span.count < limits.minDevices || span.count * 100 < limits.percent * total) return undefined;
  const found = { policy, scope, key, sources, from: span.from, to: span.to };
  return { ...found, devices, total, offers: [{ digest: digestOf(found, tainted), devices }] };
}

/** The largest number of moments within one window. */
function fullestSpan(moments: readonly Instant[], window: Milliseconds) {
  const sorted = moments.toSorted((a, b) => a - b);
  let best = { count: 0, from: 0, to: 0 };
  let first = 0;
  for (const [last, to] of sorted.entries()) {
    while (to - (sorted[first] ?? to) > window) first++;
    const count = last - first + 1;
    if (count > best.count) best = { count, from: sorted[first] ?? to, to };
  }
  return best;
}

/** How many earlier offers can still be approved. */
const offersKept = 10;

/** A wave that grew beyond what its digests cover is offered again with a new digest. */
function offersAfter(wave: Wave, tainted: readonly Tainted[]): readonly WaveOffer[] {
  const devices = tainted.length;
  if (wave.offers.some((offer) => isGoodFor(offer, devices))) return wave.offers;
  return [...wave.offers, { digest: digestOf(wave, tainted), devices }].slice(-offersKept);
}

/** 12 hex digits of SHA-256 over the wave's key, start and devices; independent of the order of devices. */
function digestOf(wave: Pick<Wave, 'policy' | 'scope' | 'key' | 'from'>, tainted: readonly Tainted[]): string {
  const devices = tainted.map(({ device }) => deviceKey(device)).sort();
  const text = [waveKey(wave), String(wave.from), ...devices].join('\n');
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, 12);
}

function parseDevice(key: string): DeviceId {
  // Stryker disable next-line StringLiteral: a device's key has three parts
  const [driver = '', pool = '', device = ''] = key.split('|');
  return { driver, pool, device };
}
