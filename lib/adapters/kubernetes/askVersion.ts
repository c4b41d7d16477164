// Requests the API server's version before anything else, so that one request detects a server that does not respond.
import type { Milliseconds } from '../../model/time.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';

/** Together with Node's start time below the five seconds that a person waits. */
export const versionWithin: Milliseconds = 2500;

export const versionRequest: ApiRequest = {
  method: 'GET',
  path: '/version',
  subject: 'version',
  timeout: versionWithin,
};

export const askVersion = (client: ApiClient): Promise<ApiAnswer> => client.send(versionRequest);
