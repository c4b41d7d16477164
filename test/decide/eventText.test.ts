// Texts of the Events that only Sluice writes.
import { expect, it } from 'vitest';
import { formatRefusal, formatWayProblem } from '../../lib/decide/eventText.ts';
import { claim, slice } from '../support/builders.ts';

const pod = { namespace: 'default', name: 'a', uid: 'u' };

it('a pod whose eviction mode cannot be read gets one Event for each problem', () => {
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

it.each([
  ['in a namespace', claim(), { kind: 'ResourceClaim', namespace: 'default', name: 'claim', uid: claim().uid }],
  ['of no devices', { ...slice(), devices: [] }, { kind: 'ResourceSlice', name: 'slice', uid: slice().uid }],
  ['without a namespace', slice(), { kind: 'ResourceSlice', name: 'slice', uid: slice().uid }],
])('an object %s that is too large gets one Event', (_, object, regarding) => {
  const event = formatRefusal(object, 7);
  expect(event).toEqual({
    name: event.name,
    regarding,
    type: 'Warning',
    reason: 'ObjectRefused',
    message: `${object.kind} ${object.name} is larger than 350 KB, so Sluice cannot keep it: pods that depend on it are not evicted. Make it smaller.`,
    at: 7,
  });
  expect(event.name).toMatch(new RegExp(`^${object.name}\\.`));
  expect(formatRefusal(object, 9).name).toBe(event.name);
});

it('a slice that is kept with names and taints alone gets an Event that says what does not act', () => {
  const whole = slice();
  const lean = { ...whole, devices: whole.devices.map((device) => ({ ...device, isStripped: true as const })) };
  expect(formatRefusal(lean, 7)).toMatchObject({
    reason: 'ObjectRefused',
    message:
      'ResourceSlice slice is larger than 350 KB, so Sluice keeps only the names and taints of its devices: rules that read their attributes do not act on them. Make it smaller.',
  });
});
