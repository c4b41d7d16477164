// Plays a history through the real steps with in-memory ports, and reports the same outcome as the pure driver.
import { nameKey } from '../../lib/model/identity.ts';
import type { Pod } from '../../lib/model/objects.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import type { Settings } from '../../lib/model/snapshot.ts';
import { t0 } from '../support/builders.ts';
import { createWorld, type World } from '../support/world.ts';
import type { Event } from './scenario.ts';

/** What both drivers report at the end. */
export interface Outcome {
  readonly deleted: readonly string[];
  readonly cancelled: number;
  readonly conditions: Readonly<Record<string, string>>;
}

export class StepsDriver {
  readonly #world: World;
  readonly #finalized: ReadonlySet<string>;
  readonly #pods = new Map<string, Pod>();
  #told = 0;

  constructor(settings: Partial<Settings> = {}, finalized: readonly string[] = []) {
    this.#world = createWorld({ start: t0, settings });
    this.#finalized = new Set(finalized);
  }

  /** Changes the API server’s objects; the watch does not report it. */
  happen({ type, object }: Event): void {
    const { api } = this.#world;
    if (object.kind === 'DeviceTaintRule') {
      const known = api.rules.get(object.name);
      const conditions = known?.rule.uid === object.uid ? known.conditions : [];
      if (type === 'Put') api.rules.set(object.name, { rule: object, conditions });
      else api.rules.delete(object.name);
    }
    if (object.kind !== 'Pod') return;
    const key = nameKey(object);
    const pod = { uid: object.uid, terminating: object.deletionTimestamp !== undefined, marked: false };
    if (type === 'Put') api.pods.set(key, pod);
    else if (api.pods.get(key)?.uid === object.uid) api.pods.delete(key);
  }

  async tell({ type, object }: Event): Promise<void> {
    if (object.kind === 'Pod') this.#pods.set(nameKey(object), object);
    const change = type === 'Put' ? ('Upserted' as const) : ('Deleted' as const);
    await this.#ingest({ type: change, object });
  }

  fail(failures: readonly World['api']['failures'][number][]): void {
    this.#world.api.failures.push(...failures);
  }

  /** Lets time pass with a heartbeat every ten seconds, after each of which the watch reports deletions. */
  async run(seconds: number): Promise<void> {
    const until = this.#world.now() + seconds * 1000;
    do {
      await this.#world.deliver({
        stage: 'ingest',
        at: this.#world.now(),
        body: [{ type: 'Heartbeat', at: this.#world.now(), clockOffset: 0, watched: {} }],
      });
      await this.#world.runUntil(Math.min(until, this.#world.now() + 10_000));
      await this.#tellDeletions();
    } while (this.#world.now() < until);
  }

  async #tellDeletions(): Promise<void> {
    const { api } = this.#world;
    for (const { pod } of api.deletes.slice(this.#told)) {
      this.#told++;
      const last = this.#pods.get(nameKey(pod));
      const held = api.pods.get(nameKey(pod));
      if (last?.uid !== pod.uid || held?.uid !== pod.uid || !held.terminating) continue;
      const resourceVersion = String(Number(last.resourceVersion) + this.#told);
      const ended = { ...last, resourceVersion, deletionTimestamp: this.#world.now() };
      const isHeld = this.#finalized.has(pod.name);
      if (!isHeld) api.pods.delete(nameKey(pod));
      await this.tell({ type: isHeld ? 'Put' : 'Remove', object: ended });
    }
  }

  async #ingest(change: { type: 'Upserted' | 'Deleted'; object: ObjectProjection }): Promise<void> {
    await this.#world.deliver({ stage: 'ingest', at: this.#world.now(), body: [change] });
  }

  outcome(): Outcome {
    const { api } = this.#world;
    const cancels = [...api.recorded.values()].filter((event) => event.message.startsWith('Cancelling deletion'));
    const conditions = [...api.rules].map(([name, { conditions: of }]): [string, string] => {
      const last = of.find((condition) => condition.type === 'EvictionInProgress');
      return [name, last ? `${last.status} ${last.reason}: ${last.message}` : 'none'];
    });
    return {
      deleted: [...new Set(api.deletes.map(({ pod }) => `${pod.name} ${pod.uid}`))].sort(),
      cancelled: cancels.length,
      conditions: Object.fromEntries(conditions.sort()),
    };
  }
}
