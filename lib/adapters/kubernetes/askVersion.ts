// Asks an API server for its version before anything else is asked: one that does not answer is found by one request.
import type { Milliseconds } from '../../model/time.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';

/** With the time in which Node loads a program, less than the five seconds that a person waits. */
export const versionWithin: Milliseconds = 2500;

export const versionRequest: ApiRequest = {
  method: 'GET',
  path: '/version',
  subject: 'version',
  timeout: versionWithin,
};

export const askVersion = (client: ApiClient): Promise<ApiAnswer> => client.send(versionRequest);
