// URLs as parsed by Go's net/url, which the Kubernetes library uses.
import { addressBytes } from './ip.ts';
import {
  escapeHost,
  escapePath,
  escapesAreValid,
  escapeUser,
  isProperPath,
  unescapeHost,
  unescapeText,
} from './percent.ts';
import { CelError, Opaque, type Value } from './values.ts';

export interface UrlParts {
  readonly scheme: string;
  readonly opaque: string;
  /** `user[:password]` unchanged, if present. */
  readonly user: readonly string[] | undefined;
  readonly host: string;
  readonly omitHost: boolean;
  /** Unchanged, including escapes. */
  readonly path: string;
  readonly query: string;
  readonly forceQuery: boolean;
  readonly fragment: string;
}

export class Url extends Opaque {
  override readonly kind = 'kubernetes.URL';
  readonly parts: UrlParts;

  constructor(parts: UrlParts) {
    super();
    this.parts = parts;
  }

  override equals(other: Value): boolean | CelError {
    return other instanceof Url ? urlText(this.parts) === urlText(other.parts) : new CelError('no such overload');
  }
}

const asRequest = { viaRequest: true };
const asReference = { viaRequest: false };

/** Whether Go's `ParseRequestURI` accepts it; it does not treat fragments specially. */
export function isUrl(text: string): boolean {
  return parse(text, asRequest) !== undefined;
}

export function parseUrl(text: string): Url | undefined {
  if (!isUrl(text)) return undefined;
  const hash = text.indexOf('#');
  const parts = parse(hash < 0 ? text : text.slice(0, hash), asReference);
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  if (!parts || !escapesAreValid(fragment)) return undefined;
  return new Url({ ...parts, fragment });
}

interface Mode {
  readonly viaRequest: boolean;
}

function parse(text: string, mode: Mode): UrlParts | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here.
  if (/[\x00-\x1f\x7f]/.test(text) || (text === '' && mode.viaRequest)) return undefined;
  const empty = { scheme: '', opaque: '', user: undefined, host: '', omitHost: false };
  const rest = { query: '', forceQuery: false, fragment: '' };
  if (text === '*') return { ...empty, ...rest, path: '*' };
  const scheme = schemeOf(text);
  if (scheme === undefined) return undefined;
  const { before, query, forceQuery } = withoutQuery(scheme === '' ? text : text.slice(scheme.length + 1));
  const common = { ...empty, ...rest, query, forceQuery, scheme: scheme.toLowerCase() };
  if (!before.startsWith('/')) {
    if (scheme !== '') return { ...common, opaque: before, path: '' };
    if (mode.viaRequest || (before.split('/')[0] ?? '').includes(':')) return undefined;
  }
  return withAuthority(common, before, mode);
}

function withAuthority(common: Omit<UrlParts, 'path'>, before: string, mode: Mode): UrlParts | undefined {
  const relative = !mode.viaRequest && !before.startsWith('///');
  if (!before.startsWith('//') || (common.scheme === '' && !relative)) {
    const omitHost = common.scheme !== '' && before.startsWith('/');
    return escapesAreValid(before) ? { ...common, omitHost, path: before } : undefined;
  }
  const slash = before.indexOf('/', 2);
  const authority = before.slice(2, slash < 0 ? undefined : slash);
  const path = slash < 0 ? '' : before.slice(slash);
  const at = authority.lastIndexOf('@');
  const host = parseHost(common.scheme, authority.slice(at + 1));
  const user = at < 0 ? undefined : parseUser(authority.slice(0, at));
  if (host === undefined || (at >= 0 && !user) || !escapesAreValid(path)) return undefined;
  return { ...common, user, host, path };
}

/** Empty if there is none; undefined for a lone colon. */
function schemeOf(text: string): string | undefined {
  if (text.startsWith(':')) return undefined;
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
}

function withoutQuery(text: string) {
  const mark = text.indexOf('?');
  if (mark < 0) return { before: text, query: '', forceQuery: false };
  return { before: text.slice(0, mark), query: text.slice(mark + 1), forceQuery: mark === text.length - 1 };
}

function parseUser(text: string): readonly string[] | undefined {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text) || !escapesAreValid(text)) return undefined;
  const colon = text.indexOf(':');
  return colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
}

const port = /^(?::[0-9]*)?$/;

function parseHost(scheme: string, text: string): string | undefined {
  const bracket = text.lastIndexOf('[');
  if (bracket > 0) return undefined;
  if (bracket === 0) return parseLiteral(text);
  const first = text.indexOf(':');
  const last = text.lastIndexOf(':');
  const colon = scheme === 'http' || scheme === 'https' ? first : last;
  if (colon >= 0 && !port.test(text.slice(colon))) return undefined;
  return unescapeHost(text);
}

/** `[2001:db8::1]:80`, possibly with a zone as `%25zone`. */
function parseLiteral(text: string): string | undefined {
  const close = text.lastIndexOf(']');
  if (close < 0 || !port.test(text.slice(close + 1))) return undefined;
  const inner = unescapeHost(text.slice(1, close));
  if (inner === undefined) return undefined;
  const [address = '', zone] = inner.split(/%(.*)/su);
  if (addressBytes(address)?.length !== 16 || zone === '') return undefined;
  return `[${inner}]${text.slice(close + 1)}`;
}

export function hostName(host: string): string {
  const { name } = splitPort(host);
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

export function splitPort(host: string): { readonly name: string; readonly port: string } {
  const colon = host.lastIndexOf(':');
  if (colon < 0 || !port.test(host.slice(colon))) return { name: host, port: '' };
  return { name: host.slice(0, colon), port: host.slice(colon + 1) };
}

/** The path unchanged if its escaping is valid, else escaped again. */
export function escapedPath(path: string): string {
  return path === '*' || isProperPath(path) ? path : escapePath(path);
}

/** Values of each query parameter, in order; malformed pairs are skipped. */
export function queryOf(query: string): ReadonlyMap<string, readonly string[]> {
  const result = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equal = pair.indexOf('=');
    const key = unescapeText(spaced(equal < 0 ? pair : pair.slice(0, equal)));
    const value = unescapeText(spaced(equal < 0 ? '' : pair.slice(equal + 1)));
    if (key === undefined || value === undefined) continue;
    result.set(key, [...(result.get(key) ?? []), value]);
  }
  return result;
}

function spaced(text: string): string {
  return text.replaceAll('+', ' ');
}

function urlText(parts: UrlParts): string {
  const query = parts.forceQuery || parts.query !== '' ? `?${parts.query}` : '';
  const fragment = parts.fragment === '' ? '' : `#${parts.fragment}`;
  const scheme = parts.scheme === '' ? '' : `${parts.scheme}:`;
  if (parts.opaque !== '') return `${scheme}${parts.opaque}${query}${fragment}`;
  const path = escapedPath(parts.path);
  const named = parts.host !== '' || parts.user !== undefined;
  const slashes = named || (!parts.omitHost && parts.scheme !== '' && path !== '') ? '//' : '';
  const user = parts.user === undefined ? '' : `${parts.user.map(escapeUser).join(':')}@`;
  return `${scheme}${slashes}${user}${escapeHost(parts.host)}${path}${query}${fragment}`;
}
