// Shadow decisions that wait for their comparison, and the differences found.
import type { ShadowDecision, ShadowDifference } from '../model/shadow.ts';
import type { Instant } from '../model/time.ts';
import { queryPages, type Row, type Write } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { instantText } from './keys.ts';
import { differencesPartition, shadowKey } from './modeKeys.ts';
import type { State } from './state.ts';

const retentionSeconds = 30 * 24 * 3600;

/** Updates the due row of a pod's comparison; must be in the transaction that writes the decision. */
export function checkWrites(
  state: State,
  pod: string,
  by: { readonly before: ShadowDecision | undefined; readonly after: ShadowDecision | undefined },
): readonly Write[] {
  const [before, after] = [by.before?.check, by.after?.check];
  if (before === after) return [];
  return [
    ...(before === undefined ? [] : [{ kind: 'Delete', key: shadowKey(state.cluster, pod, before) } as const]),
    ...(after === undefined ? [] : [dueCheck(state, pod, after)]),
  ];
}

function dueCheck(state: State, pod: string, at: Instant): Write {
  const key = shadowKey(state.cluster, pod, at);
  return { kind: 'Put', row: { ...key, pod, ...dueAttributes(state, key, at) } };
}

/** The pod's row in the same transaction ensures that a difference is recorded once. */
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

/** In the order of detection, page by page; `day` is `YYYY-MM-DD` in UTC. */
export async function* differencePages(state: State, day: string): AsyncGenerator<readonly ShadowDifference[]> {
  for await (const rows of queryPages(state.table, { pk: differencesPartition(state.cluster, day) }))
    yield rows.map(({ pk: _, sk: __, ttl: ___, ...difference }) => difference as unknown as ShadowDifference);
}

export function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}
