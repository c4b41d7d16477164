// The list of keys of the demo, over the lower part of the screen.
import type { Overlay } from '../../view/screenSnapshot.ts';

export const keysHelp: Overlay = {
  title: 'Keys (any key closes this list, and does nothing else)',
  lines: [
    't   taint all GPUs of one more node until the next act, with a DeviceTaintRule',
    'p   stop all evictions in the cluster, or resume them; a stop that this key did not make is named first',
    'r   raise the rate of the rule that is evicting; R lowers it',
    'a   approve what waits for an approval',
    'w   why was the last pod evicted; again: the pod before it',
    '↓ ↑ more lines of a long answer',
    '?   this list',
    'q   quit, or close this list or an answer; Ctrl-C always quits',
  ],
};
