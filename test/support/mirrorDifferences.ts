// Compares the rows of an incarnation with the objects of its cluster.
import { isDeepStrictEqual } from 'node:util';
import { isRelevant } from '../../lib/mirror/relevant.ts';
import type { ClusterId } from '../../lib/model/identity.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { objectRowKey } from '../../lib/state/mirrorKeys.ts';
import type { Row } from '../../lib/table.ts';
import { manifestKey } from '../../lib/watcher/forward.ts';

/** Returns differences; empty if equal. `rows` may include rows of other incarnations. */
export function differencesOf(
  rows: readonly Row[],
  objects: readonly ObjectProjection[],
  cluster: ClusterId,
): readonly string[] {
  const mine = rows.filter(({ pk }) => pk.startsWith(`${cluster}#`));
  const byKey = new Map(mine.map((row) => [`${row.pk}\n${row.sk}`, row]));
  const said: string[] = [];
  const expected = new Set<string>();
  for (const object of objects.filter(isRelevant)) {
    const { pk, sk } = objectRowKey(cluster, object.kind, manifestKey(object));
    expected.add(`${pk}\n${sk}`);
    const row = byKey.get(`${pk}\n${sk}`);
    if (row?.mirror !== 'Live') said.push(`${object.kind} ${object.name} is ${row?.mirror ?? 'missing'}`);
    else if (row.uid !== object.uid) said.push(`${object.kind} ${object.name} is of another UID`);
    else if (!isSameContent(row.object, object)) said.push(`${object.kind} ${object.name} is of an older version`);
  }
  for (const [key, { mirror, sk, due }] of byKey) {
    if (mirror !== undefined && mirror !== 'Gone' && !expected.has(key))
      said.push(`${sk} is ${mirror}, and is not there`);
    if (mirror === 'Gone' && due !== undefined) said.push(`${sk} is gone, and is due`);
  }
  return said;
}

/** Ignores fields added by the mirror, and versions without a change of content. */
function isSameContent(row: unknown, object: ObjectProjection): boolean {
  const stored = row as Record<string, unknown>;
  return Object.entries(wire(object)).every(
    ([name, value]) => name === 'resourceVersion' || isDeepStrictEqual(stored[name], value),
  );
}

/** Removes undefined members, which rows never have. */
function wire(object: ObjectProjection): object {
  return JSON.parse(JSON.stringify(object));
}
