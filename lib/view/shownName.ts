// How a line names a rule: with its kind where another object has the same name.
import { printable } from './ink.ts';
import type { LimiterProgress } from './progress.ts';

type Named = Pick<LimiterProgress, 'name' | 'place'>;

export function shownName({ name, place }: Named, all: readonly Named[]): string {
  const isShared = all.some((one) => one.name === name && one.place !== place);
  return printable(isShared ? place : name);
}
