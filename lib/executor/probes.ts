// The executor's probes: liveness, and readiness with the reason if a queue does not respond.
import { type Answer, readiness } from '../watcher/probes.ts';

/** State of the poller of one queue. */
export interface PolledQueue {
  readonly name: string;
  /** At least one poll succeeded. */
  answered: boolean;
  /** Why the last poll, or the handling of its messages, failed. */
  problem: string | undefined;
}

/**
 * Always alive while the process responds: a restart would not remove what it waits for. Ready once every queue has responded, and while
 * none fails.
 */
export function answerTo(path: string, queues: readonly PolledQueue[]): Answer {
  switch (path.split('?')[0]) {
    case '/healthz':
      return { status: 200, text: 'ok\n' };
    case '/readyz':
      return readiness(queues.flatMap(whyNotReady));
    default:
      return { status: 404, text: 'there are /healthz and /readyz\n' };
  }
}

function whyNotReady({ name, answered, problem }: PolledQueue): readonly string[] {
  if (problem !== undefined) return [`${name}: ${problem}`];
  return answered ? [] : [`${name}: not asked yet`];
}
