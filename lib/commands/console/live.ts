// Changes of a page as server-sent events: only the regions that differ from what this browser has.
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { regionsOf } from '../../view/console/page.ts';
import { readSituation } from './frame.ts';
import { type Address, intervalOf, pageAt } from './pages.ts';
import type { ConsoleSource } from './source.ts';

/** Says that the connection is alive where nothing changes. */
const pingAfter = 5000;

export interface Patch {
  /** Regions of the page in their order; absent where it is as before. */
  readonly order?: readonly string[];
  readonly set: Readonly<Record<string, string>>;
}

/** What a browser has of a page. */
export function createPatcher(): (regions: readonly { id: string; html: { markup: string } }[]) => Patch | undefined {
  const sent = new Map<string, string>();
  let before = '';
  return (regions) => {
    const changed = regions.filter(({ id, html }) => sent.get(id) !== html.markup);
    const ids = regions.map(({ id }) => id);
    const isReordered = ids.join(' ') !== before;
    before = ids.join(' ');
    for (const id of [...sent.keys()]) if (!ids.includes(id)) sent.delete(id);
    for (const { id, html } of changed) sent.set(id, html.markup);
    if (changed.length === 0 && !isReordered) return undefined;
    const set = Object.fromEntries(changed.map(({ id, html }) => [id, html.markup]));
    return isReordered ? { order: ids.filter((id) => !frameRegions.has(id)), set } : { set };
  };
}

/** Outside of the page's own part of the document. */
const frameRegions: ReadonlySet<string> = new Set(['status', 'notices', 'rights']);

export function streamChanges(c: Context, source: ConsoleSource, address: Address): Response {
  return streamSSE(c, async (stream) => {
    const ended = new AbortController();
    stream.onAbort(() => ended.abort());
    source.signal.addEventListener('abort', () => ended.abort(), { once: true });
    const patch = createPatcher();
    let [version, saidAt] = [-1, 0];
    while (!ended.signal.aborted) {
      version = source.version();
      const began = source.io.now();
      const change = patch(await regionsAt(source, address));
      if (change) await stream.writeSSE({ event: 'patch', data: JSON.stringify(change) });
      else if (began - saidAt >= pingAfter) await stream.writeSSE({ event: 'ping', data: '' });
      if (change || began - saidAt >= pingAfter) saidAt = began;
      await stream.sleep(Math.max(0, began + intervalOf(address) - source.io.now()));
      await source.changed(version, ended.signal);
    }
  });
}

/** What the page names may be gone: then its last state stays, under a frame that is up to date. */
async function regionsAt(source: ConsoleSource, address: Address) {
  const situation = await readSituation(source);
  const page = await pageAt(source, situation, address).catch(() => undefined);
  return page ? regionsOf(situation.frame, page) : [];
}
