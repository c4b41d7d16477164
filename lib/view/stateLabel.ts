// Label of a limiter's state in one or two words.
import { pausedBy } from '../model/hold.ts';
import { type Markup, markup } from './markup.ts';
import type { LimiterProgress, ProgressState } from './progress.ts';

const words: Readonly<Record<ProgressState, string>> = {
  Evicting: 'Evicting',
  Waiting: 'Waiting',
  Completed: 'Completed',
  NotStarted: 'No pods yet',
  Stopped: 'Stopped',
  NoEffect: 'No effect',
};

/** Whether further evictions are expected. */
export function isMoving({ state, isEvaluating }: Pick<LimiterProgress, 'state' | 'isEvaluating'>): boolean {
  return state === 'Evicting' || state === 'Waiting' || isEvaluating;
}

export function stateWord({ state, isEvaluating, heldBecause }: LimiterProgress): string {
  if (heldBecause !== undefined) return heldBecause.startsWith(pausedBy) ? 'Paused' : 'Held';
  return isEvaluating && state === 'NotStarted' ? 'Evaluating' : words[state];
}

/** `Held: its rate is 0`; the text of a pause needs no prefix. */
export function heldSentence(because: string): string {
  return because.startsWith(pausedBy) ? because : `Held: ${because}`;
}

/** For the middle of a line: `held: its rate is 0`, `paused by audit`. */
export function heldNote(because: string): string {
  const sentence = heldSentence(because);
  return `${sentence[0]?.toLowerCase()}${sentence.slice(1)}`;
}

export function stateLabel(limiter: LimiterProgress): Markup {
  const className = limiter.heldBecause === undefined ? limiter.state.toLowerCase() : 'held';
  return markup`<span class="badge is-${className}">${stateWord(limiter)}</span>`;
}
