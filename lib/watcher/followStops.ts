// Watches EvictionStops, so that heartbeats and pages show within a second that one was created or deleted.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { listPage, watch } from '../adapters/kubernetes/listWatch.ts';
import { type Json, objectOf, textOf } from '../adapters/kubernetes/read.ts';
import { findServed, stopResource } from '../adapters/kubernetes/servedVersion.ts';
import type { Clock } from '../ports.ts';
import { backoff, type createComplaint, pause } from './pauses.ts';

export interface FollowedStops {
  readonly objects: () => readonly Json[];
  /** Why EvictionStops cannot be read, such as a missing right to list them. */
  readonly problem: () => string | undefined;
  /** The first list has succeeded or failed. */
  readonly isKnown: () => boolean;
  /** Resolves when they are known. */
  readonly known: Promise<void>;
}

/** Milliseconds until discovery is repeated: the CRD may be installed later. */
const lookAgainAfter = 60_000;
const watchSeconds = 300;
const soon = 1000;

export interface FollowStopsOptions {
  readonly client: ApiClient;
  readonly clock: Pick<Clock, 'now'>;
  readonly signal: AbortSignal;
  /** Called after every change. */
  readonly touch?: () => void;
  /** Told why EvictionStops cannot be read, and when they can be read again. */
  readonly complaint?: ReturnType<typeof createComplaint>;
}

export function followStops({ client, clock, signal, touch, complaint }: FollowStopsOptions): FollowedStops {
  let stops: Stops = new Map();
  let problem: string | undefined;
  let isKnown = false;
  let isDoubted = false;
  const { promise: known, resolve } = Promise.withResolvers<void>();
  const note = (found: Stops, why?: string) => {
    [stops, problem, isKnown] = [found, why, true];
    if (why === undefined) complaint?.settle('EvictionStops can be read again');
    resolve();
    touch?.();
  };
  // There may be stops if the API server answers for once as if it did not serve the kind: the next look tells.
  const noteNotServed = () => {
    if (isDoubted || (isKnown && stops.size === 0)) note(new Map());
    else if (isKnown) note(stops, 'the kind is not served any more');
  };
  const round = async (): Promise<Ended> => {
    const end = await listAndWatch({ client, signal, note });
    if (end.kind === 'NotServed') noteNotServed();
    isDoubted = end.kind === 'NotServed';
    if (end.kind === 'Unread') complaint?.say(`EvictionStop: ${end.why}`);
    if (end.kind === 'Unread' && problem !== end.why) note(stops, end.why);
    return end;
  };
  void followRounds({ clock, signal }, { round, notServed: () => (isKnown ? lookAgainAfter : soon) });
  return { objects: () => [...stops.values()], problem: () => problem, isKnown: () => isKnown, known };
}

async function followRounds(
  { clock, signal }: Pick<FollowStopsOptions, 'clock' | 'signal'>,
  { round, notServed }: { readonly round: () => Promise<Ended>; readonly notServed: () => number },
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const began = clock.now();
    const { kind } = await round();
    // Back off if the watch ended at once; otherwise this would be a tight loop.
    failures = kind === 'Unread' || clock.now() - began < soon ? failures + 1 : 0;
    const wait = failures === 0 ? 0 : backoff(failures);
    await pause(signal, kind === 'NotServed' ? notServed() : wait);
  }
}

type Stops = ReadonlyMap<string, Json>;

interface Watching {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
  readonly note: (stops: Stops) => void;
}

type Ended =
  | { readonly kind: 'Closed' }
  | { readonly kind: 'NotServed' }
  | { readonly kind: 'Unread'; readonly why: string };

/** Lists, then watches from the list's resourceVersion. */
async function listAndWatch({ client, signal, note }: Watching): Promise<Ended> {
  const served = await findServed(client, stopResource);
  if (served.kind !== 'Served') return unread(served);
  const path = `${stopResource.group}/${served.version}/${stopResource.name}`;
  const listed = await list(client, path);
  if (listed.kind !== 'Listed') return listed;
  let { stops } = listed;
  note(stops);
  const end = await watch(client, {
    path,
    resourceVersion: listed.resourceVersion,
    seconds: watchSeconds,
    signal,
    onOpen: () => undefined,
    onEvent: (event) => {
      if (event.type === 'BOOKMARK') return undefined;
      const others = [...stops].filter(([name]) => name !== nameOf(event.object));
      stops = new Map([...others, ...(event.type === 'DELETED' ? [] : [entryOf(event.object)])]);
      note(stops);
      return undefined;
    },
  });
  return end.kind === 'Closed' || end.kind === 'Expired' ? { kind: 'Closed' } : unread(end);
}

type Listed = { readonly kind: 'Listed'; readonly stops: Stops; readonly resourceVersion: string };

async function list(client: ApiClient, path: string): Promise<Listed | Ended> {
  const found: [string, Json][] = [];
  let [after, resourceVersion]: [string | undefined, string] = [undefined, ''];
  do {
    const page = await listPage(client, path, { after, subject: 'list of EvictionStops' });
    if (page.kind !== 'Page') return unread(page);
    found.push(...page.items.map((item) => entryOf(objectOf(item))));
    ({ resourceVersion, next: after } = page);
  } while (after !== undefined);
  return { kind: 'Listed', stops: new Map(found), resourceVersion };
}

/** Strips the remedy from the message: it is for the command line. */
function unread(failure: { readonly kind: string; readonly why?: string }): Ended {
  return failure.kind === 'NotServed'
    ? { kind: 'NotServed' }
    : { kind: 'Unread', why: (failure.why ?? failure.kind).replace(/; [^;]*$/, '') };
}

/** Adds `kind`, which the API server leaves out in list items. */
function entryOf(object: Json): [string, Json] {
  return [nameOf(object), { ...object, kind: 'EvictionStop' }];
}

const nameOf = ({ metadata }: Json): string => textOf(objectOf(metadata).name) ?? '';
