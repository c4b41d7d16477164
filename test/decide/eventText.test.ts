// What Events of Sluice say beyond upstream's texts.
import { expect, it } from 'vitest';
import { formatWayProblem } from '../../lib/decide/eventText.ts';

const pod = { namespace: 'default', name: 'a', uid: 'u' };

it('a pod whose mode cannot be read is told so, once for each text', () => {
  const event = formatWayProblem(pod, 'its label is wrong', 7);
  expect(event).toEqual({
    name: event.name,
    regarding: pod,
    type: 'Warning',
    reason: 'EvictionModeUnreadable',
    message: 'Not evicted: its label is wrong.',
    at: 7,
  });
  expect(formatWayProblem(pod, 'its label is wrong', 9).name).toBe(event.name);
  expect(formatWayProblem(pod, 'another', 7).name).not.toBe(event.name);
});
