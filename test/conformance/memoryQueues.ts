// The queues between the steps in memory, as unordered as SQS: whole seconds of delay, batches, failed messages come back.
import type { Change } from '../../lib/model/change.ts';
import type {
  DueMessage,
  EvaluateMessage,
  EventMessage,
  EvictMessage,
  ReportMessage,
} from '../../lib/model/message.ts';
import type { Instant } from '../../lib/model/time.ts';
import type { Clock, Queues } from '../../lib/ports.ts';
import type { ComeBack } from '../../lib/steps/step.ts';

export interface Handlers {
  /** What failed, by place; undefined for a change that is done. */
  readonly ingest: (changes: readonly Change[]) => Promise<readonly unknown[]>;
  readonly evaluate: (message: EvaluateMessage) => Promise<unknown>;
  readonly evict: (message: EvictMessage | DueMessage) => Promise<unknown>;
  readonly report: (message: ReportMessage | DueMessage | EventMessage) => Promise<unknown>;
  readonly isComeBack: (answer: unknown) => answer is ComeBack;
}

export interface MemoryQueues {
  readonly port: Queues;
  sendChanges(changes: readonly Change[]): void;
  start(handlers: Handlers): void;
  isIdle(): boolean;
  /** Resolves when nothing is being processed any more. */
  stop(): Promise<void>;
}

/** Invocations at the same time; handlers race as the functions do. */
const parallel = 16;
/** As the functions ask for (visibility time-out of a failed message). */
const comeBackAfter = 1000;
const largestBatch = 10;

type Work = () => Promise<void>;

export function createMemoryQueues(clock: Clock, note: (message: string) => void): MemoryQueues {
  let handlers: Handlers | undefined;
  let changes: Change[] = [];
  const ready: Work[] = [];
  const timers = new Set<NodeJS.Timeout>();
  let running = 0;
  let stopped = false;

  const pump = () => {
    while (!stopped && handlers && running < parallel && (changes.length > 0 || ready.length > 0)) {
      const work =
        changes.length > 0 ? ingestBatch(handlers) : ready.splice(Math.floor(Math.random() * ready.length), 1)[0];
      if (!work) return;
      running++;
      void work().finally(() => {
        running--;
        pump();
      });
    }
  };
  const push = (work: Work, delay = 0) => {
    if (stopped) return;
    if (delay <= 0) {
      ready.push(work);
      pump();
      return;
    }
    const timer = setTimeout(() => {
      timers.delete(timer);
      ready.push(work);
      pump();
    }, delay);
    timers.add(timer);
  };
  const ingestBatch = (by: Handlers): Work => {
    const size = 1 + Math.floor(Math.random() * largestBatch);
    const batch = changes.splice(0, size);
    return async () => {
      const failures = await by.ingest(batch).catch((error: unknown) => batch.map(() => error));
      for (const [i, error] of failures.entries()) {
        const change = batch[i];
        if (error === undefined || !change) continue;
        note(`ingest of ${change.type}: ${error}`);
        push(async () => {
          changes.push(change);
        }, comeBackAfter);
      }
    };
  };
  const send = <T>(stage: Exclude<keyof Handlers, 'ingest' | 'isComeBack'>, body: T, delay: number) => {
    // What travels is JSON.
    const message = JSON.parse(JSON.stringify(body));
    const work: Work = async () => {
      try {
        const answer = await handlers?.[stage](message);
        if (handlers?.isComeBack(answer)) push(work, answer.seconds * 1000);
      } catch (error) {
        note(`${stage}: ${error}`);
        push(work, comeBackAfter);
      }
    };
    push(work, delay);
  };
  const until = (notBefore: Instant | undefined) =>
    notBefore === undefined ? 0 : Math.max(0, Math.ceil((notBefore - clock.now()) / 1000)) * 1000;
  return {
    port: {
      sendEvaluate: async (all) => {
        for (const one of all) send('evaluate', one, 0);
      },
      sendEvict: async (all) => {
        for (const { notBefore, ...one } of all) send('evict', one, until(notBefore));
      },
      sendReport: async (all) => {
        for (const { notBefore, ...one } of all) send('report', one, until(notBefore));
      },
      sendDue: async (all) => {
        for (const { stage, cluster, rows, notBefore } of all) {
          if (stage === 'ingest') push(async () => void changes.push({ type: 'Due', rows }), until(notBefore));
          else for (const row of rows) send(stage, { cluster, rows: [row] }, until(notBefore));
        }
      },
      // No watcher: conformance loses nothing.
      sendResend: async () => {},
      sendEvents: async (all) => {
        for (const one of all) send('report', one, 0);
      },
    },
    sendChanges(more) {
      changes = [...changes, ...(JSON.parse(JSON.stringify(more)) as Change[])];
      pump();
    },
    start(by) {
      handlers = by;
      pump();
    },
    isIdle: () => running === 0 && ready.length === 0 && changes.length === 0,
    async stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
      while (running > 0) await clock.sleep(20);
    },
  };
}
