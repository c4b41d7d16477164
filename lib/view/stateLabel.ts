// A limiter's state as a label of one or two words.
import { type Markup, markup } from './markup.ts';
import type { LimiterProgress, ProgressState } from './progress.ts';

const words: Readonly<Record<ProgressState, string>> = {
  Evicting: 'Evicting',
  Waiting: 'Waiting',
  Completed: 'Completed',
  NotStarted: 'No pods',
  Stopped: 'Stopped',
  NoEffect: 'No effect',
};

/** There is something to look forward to. */
export function isMoving({ state, isEvaluating }: Pick<LimiterProgress, 'state' | 'isEvaluating'>): boolean {
  return state === 'Evicting' || state === 'Waiting' || isEvaluating;
}

export function stateWord({ state, isEvaluating, heldBecause }: LimiterProgress): string {
  if (heldBecause !== undefined) return 'Held';
  return isEvaluating && state === 'NotStarted' ? 'Looking' : words[state];
}

export function stateLabel(limiter: LimiterProgress): Markup {
  const className = limiter.heldBecause === undefined ? limiter.state.toLowerCase() : 'held';
  return markup`<span class="badge is-${className}">${stateWord(limiter)}</span>`;
}
