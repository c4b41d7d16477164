// What Kubernetes may ask the executor: whether it lives, whether its queues answer and if not why.
import { type Answer, readiness } from '../watcher/probes.ts';

/** How the pollers of one queue fare. */
export interface PolledQueue {
  readonly name: string;
  /** Some poll of it was answered. */
  answered: boolean;
  /** Why the last poll was not answered, or its messages were not handled. */
  problem: string | undefined;
}

/**
 * Alive as long as it answers: whatever it waits for, a restart would only wait for it again. Ready once every queue has answered
 * and while none refuses.
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
