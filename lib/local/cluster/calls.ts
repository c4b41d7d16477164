// Records of requests for observers of the simulated API server; figures of a run are computed from them.
import type { User } from './access.ts';
import type { Verb } from './request.ts';

export interface ApiCall {
  /** Plural name of the resource, such as `pods`; the path for discovery and health. */
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly verb: Verb | 'nonresource';
  readonly namespace: string | undefined;
  readonly name: string;
  /** Method and URL as received. */
  readonly method: string;
  readonly path: string;
  readonly user: User['name'];
  readonly userAgent: string;
  /** preconditions.uid of a delete, metadata.uid of a patch or update. */
  readonly uidPrecondition: string | undefined;
  /** UID of the object that the request acted on, if it existed. */
  readonly uid: string | undefined;
  /** HTTP status; 0 if the connection was dropped. A watch is recorded when its stream opens. */
  readonly status: number;
  /** When the whole request had arrived: monotonic (performance.now) and epoch milliseconds. */
  readonly receivedAt: number;
  readonly receivedEpoch: number;
  /** When its change was stored and the answer was handed to the connection. */
  readonly answeredAt: number;
  readonly answeredEpoch: number;
}

export type CallObserver = (call: ApiCall) => void;

export interface CallLog {
  /** The newest calls, oldest first. */
  readonly calls: readonly ApiCall[];
  readonly report: (call: ApiCall) => void;
  /** Returns a function that removes the observer. */
  readonly observe: (observer: CallObserver) => () => void;
}

/** Keeps at least the newest `kept` calls. */
export function createCallLog(kept: number): CallLog {
  const calls: ApiCall[] = [];
  const observers = new Set<CallObserver>();
  return {
    calls,
    report(call) {
      calls.push(call);
      if (calls.length > kept * 1.25) calls.splice(0, calls.length - kept);
      for (const observer of observers) observer(call);
    },
    observe(observer) {
      observers.add(observer);
      return () => observers.delete(observer);
    },
  };
}
