// Warning about something that could not be read from the API server: its response, and a remedy.
import type { ApiAnswer, ApiRequest } from '../adapters/kubernetes/apiClient.ts';
import { failureOf } from '../adapters/kubernetes/apiFailure.ts';
import { type Finding, warning } from './finding.ts';

/** `grant`: the right to grant if the request was refused. */
export function notRead(
  subject: string,
  by: { readonly request: Pick<ApiRequest, 'method' | 'subject'>; readonly answer: ApiAnswer; readonly grant: string },
): Finding {
  const { kind, why } = failureOf(by.request, by.answer);
  const [what = '', remedy = 'ask again when this is fixed'] = why.replace(/\s+/g, ' ').split(/ ?; (?=[^;]*$)/);
  const isDenied = kind === 'Refused' || (by.answer.kind === 'Answer' && by.answer.status === 401);
  return warning(
    subject,
    `cannot be read: ${what}`,
    isDenied ? `grant ${by.grant} to the identity that runs the doctor` : remedy,
  );
}
