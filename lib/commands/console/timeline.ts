// Reads evictions for the Timeline page: of the time range in the address, else of the last 24 hours.
import { type Instant, parseInstant } from '../../model/time.ts';
import { readRecent } from '../../state/recentRows.ts';
import type { ConsolePage } from '../../view/console/page.ts';
import { noTimelinePage, refusedTimelinePage, timelinePage } from '../../view/console/timelinePage.ts';
import { lastEvictionOf } from '../../view/lastEviction.ts';
import { type Address, pageIn, textIn } from './address.ts';
import type { ConsoleSource } from './source.ts';

const day = 24 * 3_600_000;
/** Rows read per shard. */
const recentLimit = 1000;

/** Parses RFC 3339, or the value of the form's input in UTC with minutes or seconds. */
function timeIn(text: string): Instant | undefined {
  const isOfForm = /^[\d-]+T\d\d:\d\d(?::\d\d)?$/.test(text);
  return parseInstant(isOfForm ? `${text.padEnd(19, ':00')}Z` : text);
}

function notTime(name: string, text: string): string {
  return `${name}=${text} is not an RFC 3339 time; example: 2026-11-21T14:00:00Z.`;
}

export async function timeline({ table, tableHint, io }: ConsoleSource, address: Address): Promise<ConsolePage> {
  if (!table) return noTimelinePage(`Evictions are kept in the state table. ${tableHint}`);
  const now = io.now();
  const [from, written] = [textIn(address, 'from'), textIn(address, 'until')];
  const query = {
    rule: textIn(address, 'rule'),
    node: textIn(address, 'node'),
    team: textIn(address, 'team'),
    page: pageIn(address),
    from,
    until: written,
  };
  const refused = (why: string) => refusedTimelinePage(why, query);
  const until = written === '' ? now : timeIn(written);
  if (until === undefined) return refused(notTime('until', written));
  const since = from === '' ? until - day : timeIn(from);
  if (since === undefined) return refused(notTime('from', from));
  if (since > until) return refused(`The start of the time range is after its end: ${from} to ${written || 'now'}.`);
  const read = await readRecent(await table.state(), {
    since,
    ...(written === '' ? {} : { until }),
    limit: recentLimit,
  });
  const evictions = read.evictions.filter(({ at }) => at >= read.since).map(lastEvictionOf);
  return timelinePage({ evictions, since: read.since, until, now }, query);
}
