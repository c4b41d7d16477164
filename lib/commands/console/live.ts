// Sends page changes as server-sent events: only the regions that differ from what this browser has.
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { Milliseconds } from '../../model/time.ts';
import { type ConsolePage, type Notice, type Region, regionsOf } from '../../view/console/page.ts';
import { htmlOf } from '../../view/markup.ts';
import { type Address, restOf, restUnchanged } from './address.ts';
import { readSituation, type Situation } from './frame.ts';
import type { ConsoleSource } from './source.ts';

/** Minimum milliseconds between two patches of a page. */
const together = 250;

/** After a rendering without changes, or a slow one, wait for this multiple of the rendering time; waiting for reads does not count. */
const restShare = 4;

/** Milliseconds without a patch after which a ping is sent, to show that the connection is alive. */
const pingAfter = 5000;

export interface Patch {
  /** Ids of the page's regions in order; absent if the order is unchanged or the page has no regions. */
  readonly order?: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

/** Remembers what one browser has and returns the difference; `undefined` if there is none. */
export function createPatcher(): (regions: readonly Region[]) => Patch | undefined {
  const sent = new Map<string, string>();
  let before = '';
  return (page) => {
    const regions = page.map(({ id, html }) => ({ id, html: htmlOf(html) }));
    const changed = regions.filter(({ id, html }) => sent.get(id) !== html);
    const ids = regions.map(({ id }) => id);
    const own = ids.filter((id) => !frameRegions.has(id));
    const isReordered = own.length > 0 && own.join(' ') !== before;
    if (isReordered) before = own.join(' ');
    for (const id of [...sent.keys()]) if (!ids.includes(id)) sent.delete(id);
    for (const { id, html } of changed) sent.set(id, html);
    if (changed.length === 0 && !isReordered) return undefined;
    const set = Object.fromEntries(changed.map(({ id, html }) => [id, html]));
    return isReordered ? { order: own, set } : { set };
  };
}

/** Regions of the frame, which are outside the page's own part of the document. */
const frameRegions: ReadonlySet<string> = new Set(['status', 'notices', 'rights']);

/** A page that is made again when something changes. */
export interface LivePage {
  readonly address: Address;
  /** Absent if there is no such page any more. */
  readonly make: (situation: Situation) => Promise<ConsolePage | undefined>;
  /** What its form is bound to; the id of the patches of a page that has one. */
  readonly boundTo?: () => string | undefined;
}

export function streamChanges(c: Context, source: ConsoleSource, page: LivePage): Response {
  return streamSSE(c, async (stream) => {
    const left = new AbortController();
    stream.onAbort(() => left.abort());
    const ended = AbortSignal.any([left.signal, source.signal]);
    const [patch, read] = [createPatcher(), createRegionReader(source, page)];
    let [version, saidAt] = [-1, 0];
    while (!ended.aborted) {
      const isAsked = source.version() !== version;
      version = source.version();
      const situation = await readSituation(source);
      const began = source.io.now();
      const change = patch(await read(situation));
      const isPingDue = began - saidAt >= pingAfter;
      if (change) await stream.writeSSE(patchEvent(change, page));
      else if (isPingDue) await stream.writeSSE({ event: 'ping', data: '' });
      if (change || isPingDue) saidAt = began;
      const took = source.io.now() - began;
      if (isAsked) await stream.sleep(restAfter({ took, isShown: change !== undefined }));
      await source.changed(version, ended);
    }
  });
}

function patchEvent(change: Patch, { boundTo }: LivePage) {
  const id = boundTo?.();
  return { event: 'patch', data: JSON.stringify(change), ...(id === undefined ? {} : { id }) };
}

/** Changes in quick succession are sent as one patch. The caller skips this after a mere clock tick. */
function restAfter({ took, isShown }: { readonly took: Milliseconds; readonly isShown: boolean }): Milliseconds {
  return isShown ? Math.max(0, together - took) : took * restShare;
}

const gone: Notice = {
  kind: 'Unread',
  what: 'the object of this page',
  why: 'It was deleted, or it cannot be read now. The page shows its last state.',
};

/** The page rests between renderings, and its frame does not: what both say of a hold is of the moment of the page. */
export function createRegionReader(
  source: { readonly io: Pick<ConsoleSource['io'], 'now'>; readonly version: () => number },
  { address, make }: LivePage,
): (situation: Situation) => Promise<readonly Region[]> {
  let shown: ConsolePage | undefined;
  let told: readonly Notice[] = [];
  let isGone = false;
  let [madeAgainAt, madeOf, anywayAt] = [0, -1, 0];
  return async (situation) => {
    const began = source.io.now();
    const { frame } = situation;
    const isRested = began >= madeAgainAt && (source.version() !== madeOf || began >= anywayAt);
    const isDue = isRested || subjectsOf(frame.notices) !== subjectsOf(told);
    if (isDue || shown?.isStill) told = frame.notices;
    if (isDue && !shown?.isStill) {
      const version = source.version();
      // The object of the page may have been deleted: then keep its last state under a current frame.
      const made = await make(situation).catch(() => undefined);
      // A browser that connects has a page already, unless it asks for the frame alone.
      isGone = made === undefined && (shown !== undefined || address.path.length > 0);
      shown = made ?? shown;
      madeAgainAt = began + Math.max(restOf(address), (source.io.now() - began) * restShare);
      [madeOf, anywayAt] = [version, began + restUnchanged(address)];
    }
    const notices = frame.notices.map((one, i) => (one.kind === 'Held' ? (told[i] ?? one) : one));
    return regionsOf({ ...frame, notices: isGone ? [gone, ...notices] : notices }, shown);
  };
}

/** What the notices are about, in order; while it stays, notices of two moments differ in their numbers alone. */
function subjectsOf(notices: readonly Notice[]): string {
  return notices.map(({ kind, what }) => `${kind} ${what}`).join('\n');
}
