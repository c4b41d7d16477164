// Converts unexpected responses of an API server to failures: what happened, on which object, and what to do.
import type { ApiFailure } from '../../ports.ts';
import type { ApiAnswer, ApiRequest } from './apiClient.ts';
import { listOf, objectOf, textOf } from './read.ts';

const remedies: Readonly<Record<number, string>> = {
  400: 'the request is not understood: is this API server supported?',
  401: 'the credentials are refused even after a renewal: check the access entry or the kubeconfig',
  403: 'grant the missing right (Sluice itself has it by the roles of the chart), or look at the admission policy that says no',
  200: 'the answer is not what an API server says: check endpoint and proxies',
  404: 'neither the object nor the API seems to be known: check endpoint and proxies',
  409: 'another writer wrote at the same time',
  410: 'the version asked for has expired',
  422: 'the API server calls the request invalid; see its message',
  429: 'the API server asks to wait',
};

/** Statuses for which an early retry does not help. */
const refusals: ReadonlySet<number> = new Set([400, 403, 405, 413, 415, 422]);

/** Milliseconds before the next attempt if the response has no Retry-After. */
const defaultWait = 1000;

export function failureOf(request: Pick<ApiRequest, 'subject' | 'method'>, answer: ApiAnswer): ApiFailure {
  if (answer.kind === 'Failed') return { kind: 'RetryLater', after: defaultWait, why: answer.why };
  const { status } = answer;
  const said = textOf(answer.body.message) ?? (answer.text ? `not a Kubernetes answer: ${answer.text}` : 'no message');
  const isAnonymous = status === 403 && said.includes('"system:anonymous"');
  const remedy = isAnonymous
    ? 'no credentials were sent or accepted: check those of the kubeconfig'
    : (remedies[status] ?? (status >= 500 ? 'the API server is not well' : 'see the log of the API server'));
  const why = `${request.method} ${request.subject}: ${status} ${said}; ${remedy}`;
  if (refusals.has(status)) return { kind: 'Refused', why, status };
  return { kind: 'RetryLater', after: retryAfterOf(answer) ?? defaultWait, why, status };
}

function retryAfterOf(answer: Extract<ApiAnswer, { kind: 'Answer' }>): number | undefined {
  if (answer.retryAfter !== undefined) return answer.retryAfter;
  const seconds = objectOf(answer.body.details).retryAfterSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined;
}

/** 404 for this object. A 404 without the object's name is about the API, or from a proxy, and proves nothing. */
export function saysNotFound(answer: ApiAnswer, name: string): boolean {
  return answer.kind === 'Answer' && answer.status === 404 && objectOf(answer.body.details).name === name;
}

/**
 * 404 for the whole resource: this API server does not serve it, or not in this version. The response is a Status, or plain text if nothing
 * is installed at the path; any other 404 comes from a proxy and proves nothing.
 */
export function saysNotServed(answer: ApiAnswer): boolean {
  if (answer.kind !== 'Answer' || answer.status !== 404) return false;
  const isOfPath = answer.text?.startsWith('404 page not found') === true;
  return isOfPath || (answer.body.kind === 'Status' && objectOf(answer.body.details).name === undefined);
}

/**
 * The name now belongs to another object. A DELETE returns 409 with both UIDs; a PATCH returns 422 on metadata.uid (v1.37), or 409 with a
 * failed precondition if the object was replaced during the update.
 */
export function saysOtherUid(answer: ApiAnswer): boolean {
  if (answer.kind !== 'Answer') return false;
  const said = textOf(answer.body.message) ?? '';
  if (answer.status === 409) return /UID in (the )?precondition|uid mismatch/i.test(said);
  const causes = listOf(objectOf(answer.body.details).causes);
  return answer.status === 422 && causes.some((cause) => cause.field === 'metadata.uid');
}

/** 422 because a list field would exceed the CRD's maximum. */
export function saysTooMany(answer: ApiAnswer, field: string): boolean {
  if (answer.kind !== 'Answer' || answer.status !== 422) return false;
  const causes = listOf(objectOf(answer.body.details).causes);
  return causes.some((one) => one.field === field && one.reason === 'FieldValueTooMany');
}
