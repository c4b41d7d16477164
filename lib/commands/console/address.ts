// Address of a page: path and query.

export interface Address {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Absent if `text` is not a URL. A path segment that is not percent-encoded UTF-8 is kept as written and matches no page. */
export function parseAddress(text: string): Address | undefined {
  if (!URL.canParse(text, 'http://console')) return undefined;
  const { pathname, searchParams } = new URL(text, 'http://console');
  return { path: pathname.split('/').filter(Boolean).map(decoded), query: searchParams };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Minimum milliseconds between two renderings of a page that needs additional reads. The frame around it is not delayed. */
export function restOf({ path: [first] }: Address): number {
  if (first === 'timeline') return 3000;
  if (first === 'act') return 2000;
  return first === 'plan' || first === 'why' ? 750 : 0;
}

/** The same while nothing has changed that is watched: a form reads from the API server what it is about. */
export function restUnchanged({ path: [first] }: Address): number {
  return first === 'act' ? 10_000 : 0;
}

export function textIn({ query }: Address, name: string): string {
  return query.get(name)?.trim() ?? '';
}

export function pageIn({ query }: Address): number {
  return Math.max(1, Math.floor(Number(query.get('page')) || 1));
}
