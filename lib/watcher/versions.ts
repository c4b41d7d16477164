// Checks that the versions of a kind only increase. Lower versions than seen before mean that etcd was restored from a backup.
import { type ListWatchFailure, listPage } from '../adapters/kubernetes/listWatch.ts';
import { compareResourceVersions, newIncarnationCommand, type ResourceVersion } from '../model/identity.ts';
import type { Milliseconds } from '../model/time.ts';
import type { Following } from './following.ts';
import { pause } from './pauses.ts';

/**
 * Records the version of an event or a bookmark. A lower one proves nothing: a list before the resumed watch has the version of the whole
 * cluster, and older events may still arrive.
 */
export function noteShown({ state, highest }: Following, resourceVersion: ResourceVersion): void {
  if (highest.version !== undefined && compareResourceVersions(resourceVersion, highest.version) <= 0) return;
  highest.version = resourceVersion;
  state.wentBack = false;
}

/**
 * Records the version of a list that was requested after the recorded versions: an API server never returns a lower version than it has
 * shown.
 */
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

/**
 * Attempts before a lower list version counts. An API server busy with thousands of deletes was seen to return a list two versions below an
 * earlier event.
 */
const looks = 3;
const betweenLooks: Milliseconds = 500;

/** The kind counts as watched during this request, so its timeout is that of opening a watch. */
const lookTimeout: Milliseconds = 10_000;

function listOne({ deps }: Following, path: string) {
  return listPage(deps.client, path, { limit: 1, timeout: lookTimeout });
}

/** Repeats the request before a list older than the recorded version counts as an etcd restore; a failed list proves nothing. */
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
 * Check before resuming a watch: an API server that restarted with a restored etcd accepts a watch from a future version and sends no
 * events until it is reached. Returns why the watch cannot be resumed, if so.
 */
export async function checkVersion(following: Following, path: string): Promise<ListWatchFailure | undefined> {
  const page = await listOne(following, path);
  if (page.kind !== 'Page') return page;
  const noted = await noteListed(following, path, page.resourceVersion);
  if (noted === 'Grew') return undefined;
  return noted === 'WentBack' ? { kind: 'Expired', why: `${following.state.kind}: resourceVersions went back` } : noted;
}
