// The pods of one API server: UID preconditions, graceful deletion with finalizers, and answers that fail.
import type { EvictionOutcome } from '../../lib/model/eviction.ts';
import { nameKey, type PodRef } from '../../lib/model/identity.ts';
import type { Pod } from '../../lib/model/objects.ts';
import type { Instant } from '../../lib/model/time.ts';
import type { ApiFailure } from '../../lib/ports.ts';
import type { Event } from './scenario.ts';

export class ApiServerModel {
  readonly deleted: string[] = [];
  /** `name uid`. */
  readonly deletedUids: string[] = [];
  readonly calls: string[] = [];
  failures: ApiFailure[] = [];
  afterMark: readonly Event[] = [];
  deleteTakes = 0;
  readonly #pods = new Map<string, Pod>();
  readonly #finalized: ReadonlySet<string>;
  readonly #tell: (event: Event) => void;
  #versions = 0;

  constructor(finalized: readonly string[], tell: (event: Event) => void) {
    this.#finalized = new Set(finalized);
    this.#tell = tell;
  }

  /** Changes by users, kubelets and other controllers. */
  happen({ type, object }: Event): void {
    if (object.kind !== 'Pod') return;
    const key = nameKey(object);
    if (type === 'Put') this.#pods.set(key, object);
    else if (this.#pods.get(key)?.uid === object.uid) this.#pods.delete(key);
  }

  mark(pod: PodRef): { readonly kind: 'Marked' } | Exclude<EvictionOutcome, { kind: 'Evicted' }> {
    this.calls.push(`PATCH ${pod.name}`);
    const answer = this.failures.shift() ?? this.#find(pod);
    if (answer.kind !== 'Found') return answer;
    if (answer.pod.deletionTimestamp !== undefined) return { kind: 'Gone', why: 'Terminating' };
    for (const event of this.afterMark) this.happen(event);
    this.afterMark = [];
    return { kind: 'Marked' };
  }

  delete(pod: PodRef, clock: { now: Instant }): EvictionOutcome {
    this.calls.push(`DELETE ${pod.name}`);
    const answer = this.failures.shift() ?? this.#find(pod);
    if (answer.kind !== 'Found') return answer;
    clock.now += this.deleteTakes;
    this.deleted.push(pod.name);
    this.deletedUids.push(`${pod.name} ${pod.uid}`);
    const resourceVersion = nextTo(answer.pod.resourceVersion, ++this.#versions);
    const ended: Pod = { ...answer.pod, resourceVersion, deletionTimestamp: clock.now };
    if (this.#finalized.has(pod.name)) this.#pods.set(nameKey(pod), ended);
    else this.#pods.delete(nameKey(pod));
    this.#tell({ type: this.#finalized.has(pod.name) ? 'Put' : 'Remove', object: ended });
    return { kind: 'Evicted' };
  }

  #find(pod: PodRef): { kind: 'Found'; pod: Pod } | Extract<EvictionOutcome, { kind: 'Gone' }> {
    const found = this.#pods.get(nameKey(pod));
    if (!found) return { kind: 'Gone', why: 'NotFound' };
    return found.uid === pod.uid ? { kind: 'Found', pod: found } : { kind: 'Gone', why: 'Replaced' };
  }
}

/** Versions of a history are this far apart, so that writes of the API server fit in between. */
export const versionStep = 1_000_000;

function nextTo(resourceVersion: string, count: number): string {
  return String(Number(resourceVersion) + count);
}
