// Complete lists in the served version; the base of all live reads.
import type { NotRead } from '../../liveCluster.ts';
import type { Milliseconds } from '../../model/time.ts';
import type { ApiClient } from './apiClient.ts';
import { type ListOptions, listPage, pageSize } from './listWatch.ts';
import type { ServedVersion } from './servedVersion.ts';

/** Decisions need reads that are at most one second old: a slower page is useless. */
const pageTimeout: Milliseconds = 5000;

export type LiveList =
  | { readonly kind: 'Listed'; readonly items: readonly unknown[]; readonly resourceVersion: string }
  | NotRead;

export interface ListRequest extends Pick<ListOptions, 'fieldSelector'> {
  /** Subject of the list for messages, such as `resourceclaims default/a`. */
  readonly subject: string;
  readonly pathOf: (version: string) => string;
  /** Filters each page, so that only the wanted items of a long list are held. */
  readonly keeps?: (item: unknown) => boolean;
  /** A list with more pages is unknown. */
  readonly mostPages?: number;
}

/** All pages, as one consistent state. */
export async function listAll(client: ApiClient, served: ServedVersion, request: ListRequest): Promise<LiveList> {
  const first = await listOnce(client, served, request);
  if (first.kind !== 'NotServed') return first;
  // If an upgrade stopped serving this version, try once more in the version served now.
  served.forget();
  return listOnce(client, served, request);
}

async function listOnce(client: ApiClient, served: ServedVersion, request: ListRequest): Promise<LiveList> {
  const { subject, pathOf, fieldSelector, keeps = () => true, mostPages = Number.POSITIVE_INFINITY } = request;
  const found = await served.get();
  if (found.kind === 'NotServed') return { kind: 'NotServed', why: `${subject}: this API server serves no such kind` };
  if (found.kind !== 'Served') return found;
  const items: unknown[] = [];
  let after: string | undefined;
  let version: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const page = await listPage(client, pathOf(found.version), {
      subject: `LIST ${subject}`,
      timeout: pageTimeout,
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      after,
    });
    if (page.kind === 'Expired') return { kind: 'RetryLater', after: 0, why: page.why };
    if (page.kind === 'NotServed') return { kind: 'NotServed', why: `${subject}: this API server serves no such kind` };
    if (page.kind !== 'Page') return page;
    version ??= page.resourceVersion;
    if (page.resourceVersion !== version) return unknown(subject, 'its pages differ in version');
    items.push(...page.items.filter(keeps));
    after = page.next;
    if (after === undefined) return { kind: 'Listed', items, resourceVersion: page.resourceVersion };
  }
  return unknown(subject, `more than ${mostPages * pageSize}`);
}

function unknown(subject: string, why: string): LiveList {
  return { kind: 'RetryLater', after: 1000, why: `LIST ${subject}: ${why}` };
}
