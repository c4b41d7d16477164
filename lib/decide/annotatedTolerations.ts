// Device tolerations in a claim annotation, for API servers that drop `tolerations` from device requests.
import type { AllocatedDevice, ClaimProblem, DeviceToleration, ResourceClaim } from '../model/objects.ts';

/**
 * A JSON object from request (`name` or `name/subrequest`) to a list of DeviceTolerations. A ResourceClaimTemplate passes it to its claims.
 */
export const tolerationsAnnotation = 'sluice.dev/tolerations';

/** API limit on the tolerations of one request (resource.k8s.io, DeviceTolerationsMaxLength). */
const mostTolerations = 16;

type Annotated = Pick<ResourceClaim, 'allocation' | 'annotations'>;

export type AnnotatedTolerations =
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Tolerations'; readonly byRequest: ReadonlyMap<string, readonly DeviceToleration[]> }
  /** Pods of the claim stay; an Event on the claim says why. */
  | { readonly kind: 'Malformed'; readonly why: string };

/**
 * If a result has any toleration from the API, the annotation is ignored for that result: the scheduler honours only the API's tolerations.
 */
export function tolerationsOf(device: AllocatedDevice, claim: Annotated): readonly DeviceToleration[] {
  const { tolerations = [], request } = device;
  if (tolerations.length > 0) return tolerations;
  const annotated = parseTolerations(claim.annotations?.[tolerationsAnnotation], claim);
  if (annotated.kind !== 'Tolerations') return [];
  return [...annotated.byRequest].flatMap(([name, list]) => (isFor(name, request) ? list : []));
}

/** Why it is not known what an annotation tolerates: no taint evicts the pod then. `undefined` where it is known. */
export function unreadTolerations({ tolerations = [] }: AllocatedDevice, claim: Annotated): string | undefined {
  return tolerations.length > 0 ? undefined : tolerationProblems(claim)[0]?.why;
}

/** `name` applies to all alternatives of a request, `name/subrequest` to one. */
function isFor(name: string, request: string): boolean {
  return request === name || request.startsWith(`${name}/`);
}

/** Errors in the annotation of an allocated claim, as sentences for an Event. */
export function tolerationProblems(claim: Annotated): readonly ClaimProblem[] {
  if (!claim.allocation) return [];
  const parsed = parseTolerations(claim.annotations?.[tolerationsAnnotation], claim);
  return parsed.kind === 'Malformed' ? [{ reason: 'TolerationsIgnored', why: parsed.why }] : [];
}

export function parseTolerations(text: string | undefined, { allocation }: Annotated): AnnotatedTolerations {
  if (text === undefined) return { kind: 'Absent' };
  const value = parseJson(text);
  if (!isObject(value)) return malformed('is not a JSON object');
  const byRequest = new Map<string, readonly DeviceToleration[]>();
  for (const [name, list] of Object.entries(value)) {
    if (!allocation?.devices.some(({ request }) => isFor(name, request)))
      return malformed(`names request "${name}", which the allocation does not have`);
    if (!Array.isArray(list)) return malformed(`has no list for request "${name}"`);
    if (list.length > mostTolerations)
      return malformed(`has ${list.length} tolerations for request "${name}", more than ${mostTolerations}`);
    if (!list.every(isToleration)) return malformed(`has something that is no toleration for request "${name}"`);
    byRequest.set(name, list);
  }
  return { kind: 'Tolerations', byRequest };
}

function malformed(what: string): AnnotatedTolerations {
  const form = '{"<request>":[{"key":"…","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]}';
  return {
    kind: 'Malformed',
    why: `annotation ${tolerationsAnnotation} ${what}, so the pods of its claim stay; expected ${form}`,
  };
}

const texts = ['key', 'operator', 'value', 'effect'];

function isToleration(value: unknown): value is DeviceToleration {
  if (!isObject(value)) return false;
  return Object.entries(value).every(([name, member]) =>
    name === 'tolerationSeconds' ? Number.isInteger(member) : texts.includes(name) && typeof member === 'string',
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON: value stays undefined.
  }
  return value;
}
