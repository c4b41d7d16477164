// The address of a page: its path, and what its query asks for.

export interface Address {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Absent for what is no address. A part that is not percent-encoded UTF-8 stays as it is written: no page has that address. */
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

/** Milliseconds until a page that reads more than what is watched is made again; what is above it on every page is not delayed. */
export function restOf({ path: [first] }: Address): number {
  if (first === 'timeline') return 3000;
  return first === 'plan' || first === 'why' ? 750 : 0;
}

export function textIn({ query }: Address, name: string): string {
  return query.get(name)?.trim() ?? '';
}

export function pageIn({ query }: Address): number {
  return Math.max(1, Math.floor(Number(query.get('page')) || 1));
}
