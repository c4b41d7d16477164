// The invariants of every history, each checked against the API server's own log.
import type { KubeObject } from '../../lib/local/cluster/object.ts';
import type { Instant, Milliseconds } from '../../lib/model/time.ts';
import type { Row } from '../../lib/table.ts';
import type { InMemoryTable } from '../support/fakes/table.ts';
import type { ApiServer } from './apiServer.ts';
import type { Program } from './bundle.ts';
import { leftOfEarlier } from './leftOfEarlier.ts';
import { kinds, type Oracle, projected } from './oracle.ts';
import type { PaceLog } from './paceLog.ts';
import type { Pauses, Scene } from './scene.ts';

/** `law` is the same for the same kind of violation, so that a shrunk history can be compared with the original. */
export interface Violation {
  readonly law: Law;
  readonly what: string;
}

export type Law =
  | 'deletes no pod that the live cluster would keep'
  | 'deletes every due pod once the faults have ended'
  | 'deletes nothing while the cluster is paused'
  | 'deletes nothing while an EvictionStop exists'
  | 'keeps the pace'
  | 'sends one DELETE per pod'
  | 'keeps one record of every delete'
  | 'mirrors the cluster'
  | 'leaves no work unfinished'
  | 'removes what an earlier incarnation has left'
  | 'comes to an end';

export interface Judged {
  readonly api: ApiServer;
  readonly table: InMemoryTable;
  readonly cluster: string;
  readonly program: Program;
  readonly oracle: Oracle;
  readonly paces: PaceLog;
  readonly pauses: Pauses;
  readonly stops: Pauses;
  readonly lost: Scene['lost'];
  /** Rows that no other row refers to, before any row was removed. */
  readonly unreached: ReadonlySet<string>;
  readonly start: Instant;
  readonly now: Instant;
}

/** A read that showed a pod as running which had been terminating for longer than this was stale. */
const freshRead: Milliseconds = 1000;

const holdsWithin: Milliseconds = 1000;

/** All violations except those of `unfinished`, which is called before. */
export async function judgeHistory(judged: Judged): Promise<readonly Violation[]> {
  return [
    ...wronglyDeleted(judged),
    ...deletedIn(judged.pauses, 'deletes nothing while the cluster is paused', judged),
    ...deletedIn(judged.stops, 'deletes nothing while an EvictionStop exists', judged),
    ...deletedTwice(judged),
    ...judged.paces.violations(judged.api.deletes),
    ...(await unrecorded(judged)),
    ...leftOfEarlier(judged),
  ];
}

/** Violations that may still disappear with time. */
export function unfinished(
  judged: Pick<Judged, 'api' | 'table' | 'cluster' | 'program' | 'oracle' | 'start' | 'now'>,
): readonly Violation[] {
  const current = `${judged.cluster}@${judged.api.incarnation()}#`;
  const rows = judged.table.rows().filter(({ pk }) => pk.startsWith(current));
  const left = judged.program.unfinishedWork(rows, judged.now);
  return [
    ...forgotten(judged),
    ...differences(judged, rows),
    ...left.map((what): Violation => ({ law: 'leaves no work unfinished', what })),
  ];
}

function wronglyDeleted({ api, start }: Judged): readonly Violation[] {
  return api.deletes
    .filter(({ took, because }) => took && because?.length === 0)
    .map(({ pod, uid, sentAt }) => ({
      law: 'deletes no pod that the live cluster would keep',
      what: `${pod} (${uid}) was deleted at ${seconds(sentAt - start)}`,
    }));
}

/** Pauses and EvictionStops take effect within a second. */
function deletedIn(periods: Pauses, law: Law, { api, start }: Judged): readonly Violation[] {
  const isHeld = (at: Instant) =>
    periods.some(({ from, until = Number.POSITIVE_INFINITY }) => at > from + holdsWithin && at < until);
  return api.deletes
    .filter(({ took, sentAt }) => took && isHeld(sentAt))
    .map(({ pod, sentAt }) => ({
      law,
      what: `${pod} was deleted at ${seconds(sentAt - start)}`,
    }));
}

function deletedTwice({ api, start }: Judged): readonly Violation[] {
  return api.deletes
    .filter(({ terminatingSince, sentAt }) => terminatingSince !== undefined && sentAt - terminatingSince > freshRead)
    .map(({ pod, uid, sentAt }) => ({
      law: 'sends one DELETE per pod',
      what: `${pod} (${uid}) was being deleted already when a DELETE was sent at ${seconds(sentAt - start)}`,
    }));
}

function forgotten({ oracle, start }: Pick<Judged, 'oracle' | 'start'>): readonly Violation[] {
  return oracle.due().map(({ pod, since, limiters }) => ({
    law: 'deletes every due pod once the faults have ended',
    what: `${pod.namespace}/${pod.name} (${pod.uid}) has been due since ${seconds(since - start)} by ${limiters.join(', ')}`,
  }));
}

/** A record that was written after the copy to which the table was put back is lost with it. */
async function unrecorded({ api, program, table, cluster, lost }: Judged): Promise<readonly Violation[]> {
  const violations: Violation[] = [];
  const deleted = Map.groupBy(
    api.deletes.filter(
      ({ took, sentAt }) => took && !lost.some(({ from, until }) => sentAt >= from && sentAt <= until + holdsWithin),
    ),
    ({ uid }) => uid,
  );
  // A restored copy of etcd has pods that were deleted again, with the same UIDs.
  for (const [uid, deletes] of deleted) {
    const outcomes = await program.recordedOutcomes(table, cluster, uid);
    const kept = outcomes.filter((outcome) => outcome === 'Evicted' || outcome === 'OutcomeUnknown').length;
    const undone = deletes.filter(api.isUndone).length;
    // If such a copy undid a delete before its response was received, the pod exists and its record is Abandoned. If the same pod is
    // evicted again before the cluster has another incarnation, the same record is opened again and has the outcome of the second delete.
    const there = outcomes.filter((outcome) => outcome === 'Abandoned').length + (kept > 0 ? undone : 0);
    if (kept + Math.min(there, undone) >= deletes.length) continue;
    const what = `${deletes[0]?.pod} (${uid}): ${outcomes.join(', ') || 'no record'}`;
    violations.push({ law: 'keeps one record of every delete', what });
  }
  return violations;
}

/** Both ways: objects missing in the mirror, and mirrored objects that do not exist. */
function differences({ api, program }: Pick<Judged, 'api' | 'program'>, rows: readonly Row[]): readonly Violation[] {
  const mirrored = new Map(program.mirrored(rows));
  const missing: string[] = [];
  for (const object of liveObjects(api)) {
    const live = projected(object);
    if (!live || !program.isMirrored(live)) continue;
    const key = program.mirrorKey(live);
    const row = mirrored.get(key);
    mirrored.delete(key);
    if (!row) missing.push(`${key} is not mirrored`);
    else if (row.uid !== live.uid) missing.push(`${key} is mirrored with uid ${row.uid} and has ${live.uid}`);
    else if (!isAlike(live, row)) missing.push(`${key} is mirrored as it was before`);
  }
  const ghosts = [...mirrored]
    .filter(([, object]) => program.isMirrored(object))
    .map(([key]) => `${key} is mirrored and gone`);
  return [...missing, ...ghosts].map((what) => ({ law: 'mirrors the cluster', what }));
}

function liveObjects(api: ApiServer): readonly KubeObject[] {
  return kinds.flatMap(({ plural }) => api.store.list(api.resource(plural)));
}

/** A different version alone is no difference: the same content is not sent again. */
function isAlike(live: object, row: object): boolean {
  return Object.entries(live).every(
    ([name, value]) => name === 'resourceVersion' || same(value, Reflect.get(row, name)),
  );
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, inner]) => [name, sorted(inner)] as const)
      .toSorted(([x], [y]) => (x < y ? -1 : 1)),
  );
}

export function seconds(duration: Milliseconds): string {
  return `${(duration / 1000).toFixed(1)} s`;
}
