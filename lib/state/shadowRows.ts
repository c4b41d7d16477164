// Decisions of shadow mode that wait for their comparison, and the differences that were found.
import type { ShadowDecision, ShadowDifference } from '../model/shadow.ts';
import type { Instant } from '../model/time.ts';
import { queryAll, type Row, type Write } from '../table.ts';
import { instantText, shards } from './keys.ts';
import { differencesPartition, shadowKey, shadowPartition } from './modeKeys.ts';
import type { State } from './state.ts';

const retentionSeconds = 30 * 24 * 3600;

/** Moves the row that brings a pod up for comparison; belongs in the transaction that writes its decision. */
export function checkWrites(
  state: State,
  pod: string,
  by: { readonly before: ShadowDecision | undefined; readonly after: ShadowDecision | undefined },
): readonly Write[] {
  const [before, after] = [by.before?.check, by.after?.check];
  if (before === after) return [];
  return [
    ...(before === undefined ? [] : [{ kind: 'Delete', key: shadowKey(state.cluster, pod, before) } as const]),
    ...(after === undefined ? [] : [{ kind: 'Put', row: { ...shadowKey(state.cluster, pod, after), pod } } as const]),
  ];
}

/** Pods (`namespace/name`) whose comparison is due. */
export async function readDueChecks(state: State, now: Instant): Promise<readonly string[]> {
  const pages = await Promise.all(
    shards.map((shard) =>
      queryAll(state.table, { pk: shadowPartition(state.cluster, shard), from: '0', to: `${instantText(now)}#\uffff` }),
    ),
  );
  return pages.flat().map((row) => row.pod as string);
}

/** The pod's row, in the same transaction, sees to it that a difference is found once. */
export function differenceWrite(state: State, difference: ShadowDifference): Write {
  const { pod, foundAt } = difference;
  const row: Row = {
    pk: differencesPartition(state.cluster, dayOf(foundAt)),
    sk: `${instantText(foundAt)}#${pod.uid}`,
    ...difference,
    ttl: Math.floor(foundAt / 1000) + retentionSeconds,
  };
  return { kind: 'Put', row };
}

/** In the order in which they were found; `day` is `YYYY-MM-DD` in UTC. */
export async function readDifferences(state: State, day: string): Promise<readonly ShadowDifference[]> {
  const rows = await queryAll(state.table, { pk: differencesPartition(state.cluster, day) });
  return rows.map(({ pk: _, sk: __, ttl: ___, ...difference }) => difference as unknown as ShadowDifference);
}

export function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}
