// Faults that tests inject into requests: refusals, delays, blocking and lost connections.

import type { User } from './access.ts';
import { ApiStatus, tooManyRequests } from './apiStatus.ts';
import type { RequestInfo } from './request.ts';

export interface FaultSubject {
  readonly request: RequestInfo;
  readonly user: User;
}

export interface Fault {
  /** Which requests; absent: all. */
  readonly when?: (subject: FaultSubject) => boolean;
  /** Number of requests; absent: unlimited. */
  readonly times?: number;
  /** Milliseconds before the request is processed. */
  readonly latency?: number;
  /** The request waits for this before it is processed. */
  readonly until?: Promise<unknown>;
  /** Refuses with this HTTP status; 429 sends `retryAfterSeconds` (default 1) as Retry-After. */
  readonly status?: 401 | 403 | 404 | 409 | 410 | 422 | 429 | 500 | 503 | 504;
  readonly retryAfterSeconds?: number;
  /** Closes the connection `before` the request is processed, or `after` it, so that only the response is lost. */
  readonly drop?: 'before' | 'after';
}

export interface Faults {
  /** Earlier faults apply first, at most one per request. Returns a function that removes the fault. */
  add(fault: Fault): () => void;
  clear(): void;
  /** The fault for this request, if any; counts against `times`. */
  take(subject: FaultSubject): Fault | undefined;
}

export function createFaults(): Faults {
  let active: { readonly fault: Fault; left: number }[] = [];
  return {
    add(fault) {
      const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
      active.push(entry);
      return () => {
        active = active.filter((each) => each !== entry);
      };
    },
    clear() {
      active = [];
    },
    take(subject) {
      const entry = active.find(({ fault, left }) => left > 0 && (fault.when?.(subject) ?? true));
      if (entry) entry.left -= 1;
      return entry?.fault;
    },
  };
}

const reasons: Readonly<Record<NonNullable<Fault['status']>, readonly [reason: string, message: string]>> = {
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden: access denied by a test'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'too old resource version'],
  422: ['Invalid', 'the object is invalid'],
  429: ['TooManyRequests', 'too many requests, please try again later'],
  500: ['InternalError', 'Internal error occurred: etcdserver: request timed out'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
};

/** Status response of a fault with `status`. */
export function refusal(status: NonNullable<Fault['status']>, retryAfterSeconds?: number): ApiStatus {
  if (status === 429) return tooManyRequests(retryAfterSeconds ?? 1);
  const [reason, message] = reasons[status];
  const details = retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } };
  return new ApiStatus({ code: status, reason, message, ...details });
}
