// The system clock.
import type { Clock } from '../ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (duration) => new Promise((resolve) => setTimeout(resolve, duration)),
};
