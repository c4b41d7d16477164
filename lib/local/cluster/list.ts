// Answers lists: selectors, limit and continue tokens, with one consistent resourceVersion over all pages.
import { Buffer } from 'node:buffer';
import { ApiStatus, badRequest, expired } from './apiStatus.ts';
import type { JsonMap, KubeObject } from './object.ts';
import type { RequestInfo } from './request.ts';
import { apiVersionOf } from './resources.ts';
import { parseSelectors, selectorTexts } from './selectors.ts';
import { itemJson, objectJson } from './serialize.ts';
import { keyOf, type Store } from './store.ts';

interface ContinueToken {
  /** -1: at the latest version. */
  readonly version: number;
  /** The key after which the list continues. */
  readonly after: string;
}

export interface ListPage {
  readonly objects: readonly KubeObject[];
  readonly metadata: JsonMap;
}

/** JSON text of the list; throws 400, 410 or 504. */
export function listJson(store: Store, request: RequestInfo): string {
  const { objects, metadata } = listPage(store, request);
  const { resource, version } = request;
  const apiVersion = apiVersionOf(resource, version);
  const head = `{"kind":"${resource.kind}List","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`;
  // Items of custom resources keep kind and apiVersion, as an API server stores them without a Go type.
  const texts = resource.isCustom ? objects.map((one) => objectJson(one, resource, version)) : objects.map(itemJson);
  return `${head}${texts.join(',')}]}`;
}

/** Throws 400, 410 or 504. */
export function listPage(store: Store, request: RequestInfo): ListPage {
  const { resource, query } = request;
  const token = query.get('continue') ? parseToken(query.get('continue') ?? '') : undefined;
  const { objects, version } = objectsOf(store, request, token);
  const apiVersion = apiVersionOf(resource, request.version);
  const selects = parseSelectors(selectorTexts(query), resource, apiVersion);
  const remaining = token ? objects.filter((object) => keyOf(object) > token.after) : objects;
  const selected = selects ? remaining.filter(selects) : remaining;
  const limit = limitOf(query, token);
  const page = limit > 0 ? selected.slice(0, limit) : selected;
  const last = page.at(-1);
  const metadata = {
    resourceVersion: String(version),
    ...(last &&
      page.length < selected.length && {
        continue: formatToken({ version, after: keyOf(last) }),
        ...(!selects && { remainingItemCount: selected.length - page.length }),
      }),
  };
  return { objects: page, metadata };
}

/** A list at resourceVersion 0 comes from the watch cache, which does not page. */
function limitOf(query: URLSearchParams, token: ContinueToken | undefined): number {
  return !token && query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
}

function objectsOf(
  store: Store,
  request: RequestInfo,
  token: ContinueToken | undefined,
): { readonly objects: readonly KubeObject[]; readonly version: number } {
  const { resource, namespace, query } = request;
  const current = store.version();
  const exact = token ? token.version : exactVersion(query, current);
  if (exact === undefined || exact < 0) return { objects: store.list(resource, namespace), version: current };
  const objects = store.listAt(resource, exact, namespace);
  if (objects) return { objects, version: exact };
  if (!token) throw expired('The resourceVersion for the provided list is too old.');
  throw expired(tokenTooOld, { continue: formatToken({ version: -1, after: token.after }) });
}

const tokenTooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the ' +
  'continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with ' +
  'the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the ' +
  'first chunk was returned and now may show up in the list.';

/** Version requested by resourceVersionMatch=Exact; throws for a future version with any match. */
function exactVersion(query: URLSearchParams, current: number): number | undefined {
  const wanted = parseVersion(query.get('resourceVersion'));
  if (wanted > current) throw tooLarge(wanted, current);
  return query.get('resourceVersionMatch') === 'Exact' ? wanted : undefined;
}

/** 0 where absent. */
function parseVersion(text: string | null): number {
  if (!text) return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const value = JSON.stringify(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`,
  );
}

function tooLarge(wanted: number, current: number): ApiStatus {
  return new ApiStatus({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

function formatToken(token: ContinueToken): string {
  const content = { v: 'meta.k8s.io/v1', rv: token.version, start: `${token.after}\u0000` };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

function parseToken(text: string): ContinueToken {
  try {
    const content: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const [version, start] = [Reflect.get(Object(content), 'rv'), Reflect.get(Object(content), 'start')];
    if (typeof version === 'number' && typeof start === 'string') return { version, after: start.replace(/\0$/, '') };
  } catch {
    // Malformed token: refused below.
  }
  throw badRequest('invalid continue token: continue key is not valid');
}
