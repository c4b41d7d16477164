// Waves of taints for policies with an observer: few rows, read by every evaluation under such a policy.
import { isSame } from '../decide/same.ts';
import type { EvictionPolicy } from '../model/policy.ts';
import { type Wave, waveKey } from '../model/wave.ts';
import { absent, compare, queryAll, type Row, type Write } from '../table.ts';
import { wavePartition, waveRowKey } from './keys.ts';
import type { State } from './state.ts';

export interface WaveRow {
  readonly wave: Wave;
  readonly ver: number;
}

export async function readWaves(state: State): Promise<readonly WaveRow[]> {
  const rows = await queryAll(state.table, { pk: wavePartition(state.cluster) });
  return rows.flatMap((row) => waveIn(row) ?? []);
}

/** Reads nothing where no policy has an observer. */
export async function readWatched(state: State, policies: readonly EvictionPolicy[]): Promise<readonly Wave[]> {
  if (!policies.some(({ observer }) => observer)) return [];
  return (await readWaves(state)).map(({ wave }) => wave);
}

function waveIn({ wave, ver }: Row): WaveRow | undefined {
  return wave === undefined ? undefined : { wave: wave as Wave, ver: (ver as number | undefined) ?? 0 };
}

/** Writes the waves that differ from the rows. `Written`: the caller must read the inputs again. */
export async function writeWaves(
  state: State,
  known: readonly WaveRow[],
  waves: readonly Wave[],
): Promise<'Written' | 'Nothing'> {
  const next = new Map(waves.map((wave) => [waveKey(wave), wave]));
  const before = new Map(known.map((row) => [waveKey(row.wave), row]));
  const over = known.filter(({ wave }) => !next.has(waveKey(wave)));
  const writes: Write[] = [
    ...over.map(
      ({ wave, ver }): Write => ({
        kind: 'Delete',
        key: waveRowKey(state.cluster, waveKey(wave)),
        when: compare('ver', '=', ver),
      }),
    ),
    ...[...next].flatMap(([key, wave]) => writeOf(state, { key, wave, before: before.get(key) }) ?? []),
  ];
  await Promise.all(writes.map((write) => state.table.write(write)));
  return writes.length > 0 ? 'Written' : 'Nothing';
}

function writeOf(
  state: State,
  { key, wave, before }: { readonly key: string; readonly wave: Wave; readonly before: WaveRow | undefined },
): Write | undefined {
  if (before && isSame(before.wave, wave)) return undefined;
  return {
    kind: 'Update',
    key: waveRowKey(state.cluster, key),
    change: { set: { wave }, add: { ver: 1 } },
    when: before ? compare('ver', '=', before.ver) : absent('ver'),
  };
}
