// The consumers that a claim is reserved for, from all places that can hold them (KEP-5194).
import type { ClaimProblem, ConsumerReference, ResourceClaim } from '../model/objects.ts';

/**
 * A JSON object `{apiGroup, resource, name, uid}`: a consumer in the claim's namespace that is not a pod, for API servers without
 * `spec.reservedFor`. Every pod that refers to the claim is then a consumer.
 */
export const reservedForAnnotation = 'sluice.dev/reserved-for';

export type AnnotatedConsumer =
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Consumer'; readonly reference: ConsumerReference }
  /** Ignored, and reported as an Event: a typing error must not evict a pod. */
  | { readonly kind: 'Malformed'; readonly why: string };

export function parseReservedFor(claim: Pick<ResourceClaim, 'annotations'>): AnnotatedConsumer {
  const text = claim.annotations?.[reservedForAnnotation];
  if (text === undefined) return { kind: 'Absent' };
  const value = parseObject(text);
  if (!value) return malformed('is not a JSON object');
  const { apiGroup = '', resource, name, uid } = value;
  if (typeof apiGroup !== 'string') return malformed('has an apiGroup that is not a string');
  if (!isName(resource)) return malformed('has no resource');
  if (!isName(name)) return malformed('has no name');
  if (!isName(uid)) return malformed('has no uid');
  const reference = { apiGroup, resource, name, uid };
  return isPod(reference) ? malformed('names a pod') : { kind: 'Consumer', reference };
}

/** Whether an entry is a single pod: the core group and resource `pods`. */
export function isPod(entry: ConsumerReference): boolean {
  return !entry.apiGroup && entry.resource === 'pods';
}

/** Errors in a claim, as sentences for an Event. */
export function claimProblems(claim: Pick<ResourceClaim, 'annotations'>): readonly ClaimProblem[] {
  const annotated = parseReservedFor(claim);
  return annotated.kind === 'Malformed' ? [{ reason: 'ReservedForMalformed', why: annotated.why }] : [];
}

function malformed(what: string): AnnotatedConsumer {
  const form = '{"apiGroup":"…","resource":"…","name":"…","uid":"…"}';
  return { kind: 'Malformed', why: `annotation ${reservedForAnnotation} ${what} and is ignored; expected ${form}` };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Not JSON: value stays undefined.
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}
