// Several concurrent workers, each of which gets the next history as soon as it has finished the last.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { projectRoot } from './bundle.ts';
import type { History } from './history.ts';
import type { Violation } from './judge.ts';
import type { Order, Report } from './worker.ts';

export interface Outcome {
  readonly history: History;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
  readonly deletes: number;
}

export interface Players {
  /** Histories finish in any order; one that could not be played to its end is a violation. */
  play(history: History, trace?: boolean): Promise<Outcome>;
  stop(): void;
}

/** Histories of one worker before it is replaced: its module state grows by about a mebibyte for each cluster. */
const historiesEach = 500;

export async function startPlayers(count: number): Promise<Players> {
  const workers = new Set<ChildProcess>();
  const played = new Map<ChildProcess, number>();
  const start = async () => {
    const worker = fork(path.join(projectRoot, 'test/faults/worker.ts'), [], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    workers.add(worker);
    await ready(worker);
    return worker;
  };
  const idle = await Promise.all(Array.from({ length: count }, start));
  const waiting: ((worker: ChildProcess) => void)[] = [];
  let ids = 0;
  const take = () =>
    new Promise<ChildProcess>((resolve) => {
      const worker = idle.pop();
      if (worker) resolve(worker);
      else waiting.push(resolve);
    });
  const replace = async (worker: ChildProcess) => {
    workers.delete(worker);
    played.delete(worker);
    worker.kill();
    return start();
  };
  const giveBack = async (used: ChildProcess) => {
    played.set(used, (played.get(used) ?? 0) + 1);
    const worker = played.get(used) === historiesEach ? await replace(used) : used;
    const next = waiting.shift();
    if (next) next(worker);
    else idle.push(worker);
  };
  return {
    async play(history, trace = false) {
      const worker = await take();
      const id = ++ids;
      const answer = once(worker, 'message');
      const settled = new AbortController();
      const ended = once(worker, 'exit', { signal: settled.signal }).then(([code]) => {
        throw new Error(`a worker ended with ${code} in the middle of a history: see above`);
      });
      ended.catch(() => {});
      worker.send({ id, history, trace } satisfies Order);
      const [report] = (await Promise.race([answer, ended])) as [Report];
      settled.abort();
      await giveBack(worker);
      if (!('broken' in report)) return { history, ...report };
      const violation: Violation = { law: 'comes to an end', what: report.broken };
      return { history, violations: [violation], trace: [], deletes: 0 };
    },
    stop() {
      for (const worker of workers) worker.kill();
    },
  };
}

async function ready(worker: ChildProcess): Promise<void> {
  await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(() => {
      throw new Error('a worker ended before it was ready: see above');
    }),
  ]);
}
