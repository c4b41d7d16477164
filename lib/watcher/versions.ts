// Whether the versions that an API server shows of a kind only grow. Lower ones than were seen mean that etcd was restored from a backup.
import { type ListWatchFailure, listPage } from '../adapters/kubernetes/listWatch.ts';
import { compareResourceVersions, newIncarnationCommand, type ResourceVersion } from '../model/identity.ts';
import type { Milliseconds } from '../model/time.ts';
import type { Following } from './following.ts';
import { pause } from './pauses.ts';

/**
 * The version of an event or a bookmark. A lower one says nothing: a list that was read before the watch continued has the version of
 * the whole cluster, and what came before it is still to be told.
 */
export function noteShown({ state, highest }: Following, resourceVersion: ResourceVersion): void {
  if (highest.version !== undefined && compareResourceVersions(resourceVersion, highest.version) <= 0) return;
  highest.version = resourceVersion;
  state.wentBack = false;
}

/** That of a list which was asked for after whatever was noted before: an API server answers with none that is lower than was shown. */
function noteVersion({ deps, state, highest }: Following, resourceVersion: ResourceVersion): 'Grew' | 'WentBack' {
  const order = highest.version === undefined ? 1 : compareResourceVersions(resourceVersion, highest.version);
  if (order >= 0) highest.version = resourceVersion;
  if (order > 0) state.wentBack = false;
  if (order >= 0) return 'Grew';
  if (!state.wentBack) {
    const seen = { kind: state.kind, resourceVersion, seen: highest.version };
    deps.log.warn('resourceVersions went back', { ...seen, remedy: newIncarnationCommand });
  }
  state.wentBack = true;
  return 'WentBack';
}

/** Of a list. An API server that is busy with thousands of deletes was seen to answer a version two below that of an event before. */
const looks = 3;
const betweenLooks: Milliseconds = 500;

/** The kind counts as watched until it is answered, so that it has no more time than the opening of a watch. */
const lookTimeout: Milliseconds = 10_000;

function listOne({ deps }: Following, path: string) {
  return listPage(deps.client, path, { limit: 1, timeout: lookTimeout });
}

/** Asks again before a list that is older than what was shown is taken for a restored etcd; a list without an answer says nothing of it. */
export async function noteListed(
  following: Following,
  path: string,
  resourceVersion: ResourceVersion,
): Promise<'Grew' | 'WentBack' | ListWatchFailure> {
  const { deps, highest } = following;
  const isBelow = (version: ResourceVersion) =>
    highest.version !== undefined && compareResourceVersions(version, highest.version) < 0;
  let latest = resourceVersion;
  for (let look = 1; look < looks && isBelow(latest); look++) {
    await pause(deps.signal, betweenLooks);
    const page = await listOne(following, path);
    if (page.kind !== 'Page') return page;
    latest = page.resourceVersion;
  }
  return noteVersion(following, latest);
}

/**
 * Before a watch continues: an API server that has restarted over a restored etcd takes a watch from a version that is not yet there, and
 * says nothing of what happens until then. Answers why the watch cannot continue, if it cannot.
 */
export async function checkVersion(following: Following, path: string): Promise<ListWatchFailure | undefined> {
  const page = await listOne(following, path);
  if (page.kind !== 'Page') return page;
  const noted = await noteListed(following, path, page.resourceVersion);
  if (noted === 'Grew') return undefined;
  return noted === 'WentBack' ? { kind: 'Expired', why: `${following.state.kind}: resourceVersions went back` } : noted;
}
