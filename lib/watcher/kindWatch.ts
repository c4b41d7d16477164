// Follows one kind for as long as the watcher lives: list, manifest, watch from there, list again when the version is gone.
import { project } from '../adapters/kubernetes/project.ts';
import type { ObjectKind } from '../model/objects.ts';
import type { ChangeSink, Clock, Log } from '../ports.ts';
import {
  beginList,
  createForwardMemory,
  endList,
  type ForwardMemory,
  forwardDeleted,
  forwardShown,
} from '../steps/forward.ts';
import type { ApiReader, StreamEnd } from './apiReader.ts';
import { findPath, type KindSource, refusal } from './kinds.ts';

export interface KindWatchDependencies {
  readonly reader: ApiReader;
  readonly sink: ChangeSink;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface KindState {
  readonly kind: ObjectKind;
  /** The API version that is watched; `undefined` while none is served. */
  version: string | undefined;
  /** Listed completely and watched: what is sent is the truth, give or take the time to send it. */
  established: boolean;
  /** Not served by this API server; asked again each minute. */
  notServed: boolean;
  objects: number;
  lists: number;
  clockOffset: number;
}

const pageSize = 500;
const servedAgainAfter = 60_000;

/** A server closes a watch after this; it goes on from the last version then. */
const watchSeconds = 300;

export function createKindState(kind: ObjectKind): KindState {
  return { kind, version: undefined, established: false, notServed: false, objects: 0, lists: 0, clockOffset: 0 };
}

/** Returns when the signal is aborted; every failure is said and tried again after a growing, jittered pause. */
export async function followKind(deps: KindWatchDependencies, source: KindSource, state: KindState): Promise<void> {
  const memory = createForwardMemory(source.kind);
  let failures = 0;
  while (!deps.signal.aborted) {
    const lists = state.lists;
    const problem = await attempt(deps, source, { memory, state });
    state.established = false;
    failures = state.lists > lists ? 0 : failures + 1;
    if (deps.signal.aborted) return;
    if (problem) deps.log.error(`${source.kind}: ${problem}`, { endpoint: deps.reader.endpoint, failures });
    else if (state.notServed && failures === 1)
      deps.log.info(`${source.plural}.${source.group} is not served here; looking again each minute`);
    const backoff = Math.min(30_000, 250 * 2 ** Math.min(failures, 7)) * (0.5 + Math.random() / 2);
    if (problem || state.notServed) await pause(deps, problem ? backoff : servedAgainAfter);
  }
}

/** What went wrong, if anything did. */
async function attempt(
  deps: KindWatchDependencies,
  source: KindSource,
  of: Pick<Following, 'memory' | 'state'>,
): Promise<string | undefined> {
  try {
    await followOnce(deps, source, of);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function followOnce(
  deps: KindWatchDependencies,
  source: KindSource,
  of: Pick<Following, 'memory' | 'state'>,
): Promise<void> {
  const found = await findPath(deps.reader, source);
  of.state.notServed = found === undefined;
  of.state.version = found?.version;
  if (!found) return;
  const resourceVersion = await list(deps, { ...of, path: found.path });
  await follow(deps, { ...of, path: found.path, resourceVersion });
}

interface Following {
  readonly memory: ForwardMemory;
  readonly path: string;
  readonly state: KindState;
}

/** All pages, then the manifest; answers the version to watch from. */
async function list(deps: KindWatchDependencies, { memory, path, state }: Following): Promise<string> {
  beginList(memory, deps.clock.now());
  let next = '';
  let resourceVersion = '';
  do {
    const query = new URLSearchParams({ limit: String(pageSize), ...(next ? { continue: next } : {}) });
    const asked = deps.clock.now();
    const answer = await deps.reader.get(`${path}?${query}`);
    if (answer.status !== 200)
      throw new Error(refusal(answer.status, `list of ${path}`, String(answer.body.message ?? '')));
    // Date has whole seconds: half a second is the best guess at what it cut off.
    if (answer.date !== undefined) state.clockOffset = answer.date + 500 - (asked + deps.clock.now()) / 2;
    const metadata = (answer.body.metadata ?? {}) as { continue?: string; resourceVersion?: string };
    const items = (answer.body.items ?? []) as readonly unknown[];
    await deps.sink.send(items.flatMap((item) => shown(deps, memory, item)));
    next = metadata.continue ?? '';
    resourceVersion = metadata.resourceVersion ?? resourceVersion;
  } while (next !== '' && !deps.signal.aborted);
  await deps.sink.send(endList(memory, resourceVersion));
  state.lists++;
  state.objects = memory.sent.size;
  return resourceVersion;
}

function shown(deps: KindWatchDependencies, memory: ForwardMemory, item: unknown) {
  const projected = project(memory.kind, item);
  if (projected.kind === 'Projected') return forwardShown(memory, projected.object);
  deps.log.warn(projected.why);
  return [];
}

/** Watches, and watches on from the last version seen, until that version is too old. */
async function follow(
  deps: KindWatchDependencies,
  from: Following & { readonly resourceVersion: string },
): Promise<void> {
  const { memory, path, state } = from;
  let version = from.resourceVersion;
  let expired = false;
  let opened = 0;
  while (!deps.signal.aborted && !expired) {
    const query = new URLSearchParams({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: version,
      timeoutSeconds: String(watchSeconds),
    });
    const end = await deps.reader.stream(`${path}?${query}`, {
      signal: deps.signal,
      onOpen: () => {
        opened = deps.clock.now();
        state.established = true;
      },
      onLine: (line) => {
        const event = takeLine(deps, memory, line);
        if (event.expired) expired = true;
        if (event.version !== undefined) version = event.version;
        state.objects = memory.sent.size;
      },
    });
    state.established = false;
    expired ||= end.kind === 'Status' && end.status === 410;
    if (!expired && !deps.signal.aborted) await resume(deps, { path, end, opened });
  }
}

/** A watch that ran for a while may go on at once; one that is refused or breaks at once must not be hammered. */
async function resume(
  deps: KindWatchDependencies,
  by: { path: string; end: StreamEnd; opened: number },
): Promise<void> {
  const { path, end, opened } = by;
  if (end.kind === 'Status') throw new Error(refusal(end.status, `watch of ${path}`, end.text));
  if (end.kind === 'Failed') deps.log.warn(`watch of ${path} broke (${end.why}); going on from the last version`);
  if (deps.clock.now() - opened < 1000) await pause(deps, 500 + Math.random() * 500);
}

interface TakenLine {
  readonly version?: string;
  readonly expired?: boolean;
}

/** A line that cannot be read may hide a change: the only safe answer is to list again. */
function takeLine(deps: KindWatchDependencies, memory: ForwardMemory, line: string): TakenLine {
  let event: { type?: string; object?: { code?: number; message?: string; metadata?: { resourceVersion?: string } } };
  try {
    event = JSON.parse(line);
  } catch {
    deps.log.warn(`${memory.kind}: a watch event is not JSON; listing again`);
    return { expired: true };
  }
  const version = event.object?.metadata?.resourceVersion;
  switch (event.type) {
    case 'BOOKMARK':
      return version === undefined ? {} : { version };
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED': {
      const projected = project(memory.kind, event.object);
      if (projected.kind === 'Unreadable') deps.log.warn(projected.why);
      else
        send(
          deps,
          event.type === 'DELETED' ? forwardDeleted(memory, projected.object) : forwardShown(memory, projected.object),
        );
      return version === undefined ? {} : { version };
    }
    default:
      deps.log.info(
        `${memory.kind}: the watch ended with ${event.object?.code ?? event.type} ${event.object?.message ?? ''}; listing again`,
      );
      return { expired: true };
  }
}

/** Not awaited: the sink keeps order and memory; it only rejects when the watcher ends. */
function send(deps: KindWatchDependencies, changes: Parameters<ChangeSink['send']>[0]): void {
  if (changes.length > 0) deps.sink.send(changes).catch(() => {});
}

async function pause(deps: KindWatchDependencies, duration: number): Promise<void> {
  const until = deps.clock.now() + duration;
  while (!deps.signal.aborted && deps.clock.now() < until)
    await deps.clock.sleep(Math.min(200, until - deps.clock.now()));
}
