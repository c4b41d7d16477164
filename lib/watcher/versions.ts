// Whether the versions that an API server shows of a kind only grow. Lower ones than were seen mean that etcd was restored from a backup.
import { type ListWatchFailure, listPage } from '../adapters/kubernetes/listWatch.ts';
import { compareResourceVersions, newIncarnationCommand, type ResourceVersion } from '../model/identity.ts';
import type { Milliseconds } from '../model/time.ts';
import type { Following } from './following.ts';
import { pause } from './pauses.ts';

/**
 * Notes the version of a list, an event or a bookmark. A list counts only if it was asked for after whatever was noted before: an API
 * server answers it with a version that is not lower than any that was shown until then.
 */
export function noteVersion(
  { deps, state, highest }: Following,
  resourceVersion: ResourceVersion,
): 'Grew' | 'WentBack' {
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
    const page = await listPage(deps.client, path, { limit: 1 });
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
  const page = await listPage(following.deps.client, path, { limit: 1 });
  if (page.kind !== 'Page') return page;
  const noted = await noteListed(following, path, page.resourceVersion);
  if (noted === 'Grew') return undefined;
  return noted === 'WentBack' ? { kind: 'Expired', why: `${following.state.kind}: resourceVersions went back` } : noted;
}
