// Follows one kind until the watcher ends: list, send manifests, watch from that version, relist when the version has expired.
import {
  type ListWatchFailure,
  listPage,
  type WatchEnd,
  type WatchEvent,
  watch,
} from '../adapters/kubernetes/listWatch.ts';
import { project } from '../adapters/kubernetes/project.ts';
import { findServed } from '../adapters/kubernetes/servedVersion.ts';
import { type FollowerDependencies, type Following, waitAfter } from './following.ts';
import {
  beginList,
  countSent,
  createForwardMemory,
  endList,
  type Forwarded,
  forwardDeleted,
  forwardShown,
} from './forward.ts';
import type { KindSource, KindState } from './kinds.ts';
import { backoff, createComplaint, pause } from './pauses.ts';
import { checkVersion, noteListed, noteShown } from './versions.ts';

/** All kinds list at the same time, and each holds a whole page in memory, as text and as objects. */
const objectsInPage = 250;

/** An API that is not served may be enabled later. */
const lookAgainAfter = 60_000;

/** The watch timeout, requested from the API server: 5 to 10 minutes, random so that watches do not end together. */
const watchSeconds = () => Math.round(300 + Math.random() * 300);

/** A watch that ends earlier counts as a failure, so that it is not reopened in a tight loop. */
const soon = 1000;

export function createFollowing(deps: FollowerDependencies, source: KindSource, state: KindState): Following {
  const complaint = createComplaint(deps.log, deps.clock);
  const memory = createForwardMemory(source.kind);
  const nothingYet = { failures: 0, path: '', reached: undefined, highest: { version: undefined } };
  return { deps, source, state, memory, complaint, ...nothingYet };
}

/** Ends only when the signal is aborted. */
export async function followKind(following: Following): Promise<void> {
  const { deps, source } = following;
  while (!deps.signal.aborted) {
    following.path ||= await findPath(following, source);
    if (following.path === '') continue;
    const end = await listAndWatch(following, following.path);
    following.reached = undefined;
    if (end === 'NotServed') following.path = '';
  }
}

/** The path of the served version, or empty after a pause. */
async function findPath(following: Following, { kind, resource }: KindSource): Promise<string> {
  const { deps, state } = following;
  const served = await findServed(deps.client, resource);
  if (served.kind === 'Served') {
    state.version = served.version;
    return `${resource.group}/${served.version}/${resource.name}`;
  }
  state.version = undefined;
  if (served.kind !== 'NotServed') {
    await waitAfter(following, served);
    return '';
  }
  if (state.phase !== 'NotServed') {
    deps.log.info(`${resource.name} are not served by this API server; looking again each minute`, { kind });
  }
  Object.assign(state, { phase: 'NotServed', problem: undefined, problemSince: undefined, objects: 0 });
  await pause(deps.signal, lookAgainAfter);
  return '';
}

/** One list and the watches that continue from it, until a relist is needed. */
async function listAndWatch(following: Following, path: string): Promise<'Again' | 'NotServed'> {
  const { deps, state } = following;
  state.phase = 'Listing';
  const listed = await list(following, path);
  if (listed.kind === 'NotServed') return 'NotServed';
  if (listed.kind !== 'Listed') {
    await waitAfter(following, listed);
    return 'Again';
  }
  let { resourceVersion } = listed;
  const watchOn = async () => {
    const opened = deps.clock.now();
    const end = await watch(deps.client, {
      path,
      resourceVersion,
      seconds: watchSeconds(),
      signal: deps.signal,
      onOpen: () => established(following),
      onEvent: (event) => {
        resourceVersion = event.resourceVersion;
        noteShown(following, resourceVersion);
        const taken = takeEvent(following, event);
        following.reached = { resourceVersion, heardAt: deps.clock.now() };
        return taken;
      },
    });
    if (deps.clock.now() - opened >= soon) following.failures = 0;
    return end;
  };
  let end = await watchOn();
  while (!deps.signal.aborted) {
    const next = await afterWatch(following, end);
    if (next !== 'WatchOn') return next;
    end = (await checkVersion(following, path)) ?? (await watchOn());
  }
  return 'Again';
}

type Listed = { readonly kind: 'Listed'; readonly resourceVersion: string } | ListWatchFailure;

/** Sends each page as it arrives, then the objects missing from the list; waits while the sink is full. */
async function list(following: Following, path: string): Promise<Listed> {
  const { deps, state, memory } = following;
  following.reached = undefined;
  beginList(memory);
  deps.deletions?.listBegins();
  let after: string | undefined;
  let resourceVersion = '';
  do {
    const page = await listPage(deps.client, path, { after, limit: objectsInPage });
    if (page.kind !== 'Page') return page;
    for (const item of page.items) {
      deps.deletions?.see(item);
      deps.traces.see(memory.kind, item);
    }
    await deps.sink.send(
      page.items.flatMap((item) => take(following, forwardShown(memory, project(memory.kind, item)))),
    );
    ({ resourceVersion, next: after } = page);
  } while (after !== undefined && !deps.signal.aborted);
  deps.deletions?.listEnds();
  const gone = endList(memory, resourceVersion);
  for (let at = 0; at < gone.length; at += objectsInPage) await deps.sink.send(gone.slice(at, at + objectsInPage));
  await noteListed(following, path, resourceVersion);
  state.lists++;
  state.objects = countSent(memory);
  following.reached = { resourceVersion, heardAt: deps.clock.now() };
  return { kind: 'Listed', resourceVersion };
}

/** Returns a promise only if the sink is full. */
function takeEvent(following: Following, event: WatchEvent): Promise<void> | undefined {
  const { deps, state, memory } = following;
  if (event.type === 'BOOKMARK') return undefined;
  deps.deletions?.see(event.object, event.type === 'DELETED');
  deps.traces.see(memory.kind, event.object);
  const projected = project(memory.kind, event.object);
  const forward = event.type === 'DELETED' ? forwardDeleted : forwardShown;
  const changes = take(following, forward(memory, projected));
  state.objects = countSent(memory);
  return changes.length === 0 ? undefined : deps.sink.send(changes);
}

function take({ deps, state }: Following, forwarded: Forwarded): Forwarded['changes'] {
  if (forwarded.problem !== undefined) {
    state.unreadable++;
    deps.log.error(forwarded.problem, { kind: state.kind });
  }
  return forwarded.changes;
}

function established({ state, complaint }: Following): void {
  Object.assign(state, { phase: 'Watching', problem: undefined, problemSince: undefined });
  complaint.settle(`${state.kind}: followed again`);
}

async function afterWatch(following: Following, end: WatchEnd): Promise<'WatchOn' | 'Again' | 'NotServed'> {
  const { deps, state } = following;
  switch (end.kind) {
    case 'Closed':
      // State is still valid if the watch is reopened at once, but not if it ends repeatedly.
      if (following.failures++ > 0) await pause(deps.signal, backoff(following.failures));
      return 'WatchOn';
    case 'Expired':
    case 'Garbled':
      deps.log.warn(`${end.why}; listing again`, { kind: state.kind });
      state.phase = 'Listing';
      if (following.failures++ > 0) await pause(deps.signal, backoff(following.failures));
      return 'Again';
    case 'NotServed':
      return 'NotServed';
    case 'RetryLater':
    case 'Refused':
      await waitAfter(following, end);
      return 'WatchOn';
    default:
      return end satisfies never;
  }
}
