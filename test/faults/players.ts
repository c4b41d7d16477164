// Several workers side by side, each given the next history as soon as it is done with the last.
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
  /** Resolves in any order; a history that could not be played to its end is a violation. */
  play(history: History, trace?: boolean): Promise<Outcome>;
  stop(): void;
}

export async function startPlayers(count: number): Promise<Players> {
  const file = path.join(projectRoot, 'test/faults/worker.ts');
  const workers = Array.from({ length: count }, () =>
    fork(file, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
  await Promise.all(workers.map((worker) => ready(worker)));
  const idle = [...workers];
  const waiting: ((worker: ChildProcess) => void)[] = [];
  let ids = 0;
  const take = () =>
    new Promise<ChildProcess>((resolve) => {
      const worker = idle.pop();
      if (worker) resolve(worker);
      else waiting.push(resolve);
    });
  const giveBack = (worker: ChildProcess) => {
    const next = waiting.shift();
    if (next) next(worker);
    else idle.push(worker);
  };
  return {
    async play(history, trace = false) {
      const worker = await take();
      const id = ++ids;
      const answer = once(worker, 'message');
      worker.send({ id, history, trace } satisfies Order);
      const [report] = (await answer) as [Report];
      giveBack(worker);
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
