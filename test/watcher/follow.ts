// A watcher in this process over any API client, with an in-memory queue that a test can make fail.
import type { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { expect } from 'vitest';
import type { ApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { type Manifest, type SingleChange, singleChanges } from '../../lib/model/change.ts';
import type { ObjectKind } from '../../lib/model/projection.ts';
import type { Log } from '../../lib/ports.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../../lib/watcher/outbox.ts';
import type { Resending } from '../../lib/watcher/resend.ts';
import { startWatcher, type Watcher } from '../../lib/watcher/watcher.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';

export interface MemoryQueue {
  readonly client: OutboxOptions['client'];
  readonly bodies: string[];
  readonly requests: number[];
  /** While set, every request fails with this error. */
  failure: Error | undefined;
}

export function createMemoryQueue(): MemoryQueue {
  const queue: MemoryQueue = {
    bodies: [],
    requests: [],
    failure: undefined,
    client: {
      async send({ input }: SendMessageBatchCommand) {
        if (queue.failure) throw queue.failure;
        const entries = input.Entries ?? [];
        queue.requests.push(entries.length);
        queue.bodies.push(...entries.map((entry) => entry.MessageBody ?? ''));
        return { Failed: [] };
      },
    } as OutboxOptions['client'],
  };
  return queue;
}

/** The changes of all messages, one by one. */
export function changesIn(queue: MemoryQueue): readonly SingleChange[] {
  return queue.bodies.flatMap((body) => {
    const parsed = parseChange(body);
    if (parsed.kind === 'Poison') throw new Error(parsed.why);
    const { incarnation: _, ...change } = parsed.value;
    return singleChanges(change);
  });
}

export interface Followed {
  readonly watcher: Watcher;
  readonly outbox: Outbox;
  readonly queue: MemoryQueue;
  readonly logged: string[];
  changes(): readonly SingleChange[];
  /** Names of objects in messages of one type, in order of arrival. */
  names(type: 'Upserted' | 'Deleted'): readonly string[];
  manifests(kind: ObjectKind): readonly Manifest[];
  heartbeats(): number;
  /** Stops the watcher only; the client stays open. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

/** A round begins soon after the first list, and the next one soon after it. */
const rounds = { first: 20, round: 50 };

export interface FollowOptions {
  readonly bound?: OutboxOptions['bound'];
  readonly probes?: boolean;
  readonly requests?: Pick<Resending, 'client' | 'queueUrl'>;
}

export function follow(client: ApiClient, options: FollowOptions = {}): Followed {
  const { bound, probes = false, requests } = options;
  const queue = createMemoryQueue();
  const logged: string[] = [];
  const say = (message: string) => void logged.push(message);
  const log: Log = { info: say, warn: say, error: say };
  const abort = new AbortController();
  const clock = { now: Date.now, sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
  const outbox = createOutbox({
    client: queue.client,
    queueUrl: 'https://sqs.example.com/q',
    clock,
    log,
    ...(bound ? { bound } : {}),
  });
  const watcher = startWatcher({
    client,
    outbox,
    incarnation: liveIncarnation,
    readIncarnation: async () => ({ kind: 'Found', incarnation: liveIncarnation }),
    clock,
    log,
    signal: abort.signal,
    heartbeatInterval: 100,
    probes,
    rounds,
    ...(requests ? { requests } : {}),
  });
  const changes = () => changesIn(queue);
  return {
    watcher,
    outbox,
    queue,
    logged,
    changes,
    names: (type) => changes().flatMap((change) => (change.type === type ? [change.object.name] : [])),
    manifests: (kind) =>
      changes().flatMap((change) => (change.type === 'Manifest' && change.kind === kind ? [change] : [])),
    heartbeats: () => changes().filter((change) => change.type === 'Heartbeat').length,
    async ended() {
      abort.abort();
      await watcher.done;
    },
    async stop() {
      abort.abort();
      await watcher.done;
      client.close();
    },
  };
}

/** Waits until the assertions hold. */
export async function eventually(assertions: () => void): Promise<void> {
  const attempt = () => {
    try {
      assertions();
      return 'so';
    } catch (error) {
      return String(error);
    }
  };
  await expect.poll(attempt, { timeout: 60_000, interval: 10 }).toBe('so');
}
