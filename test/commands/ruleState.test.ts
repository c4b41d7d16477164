// The state and the message of a rule in `get rules`, from its conditions.
import { expect, it } from 'vitest';
import { messageOf, stateOfRule } from '../../lib/commands/get/rules.ts';
import { stoppedBy, stoppedText } from '../../lib/model/stop.ts';

const pacing = {
  type: 'sluice.dev/Pacing',
  status: 'True',
  reason: 'Paced',
  message: 'Evictions are proceeding.',
};
const inProgress = (status: string, reason: string, message: string) => ({
  type: 'EvictionInProgress',
  status,
  reason,
  message,
});
const held = { type: 'sluice.dev/Held', status: 'True', reason: 'Paused', message: 'Paused.' };
const plan = { type: 'sluice.dev/Plan', status: 'True', reason: 'Planned', message: '3 pods would be evicted.' };
const going = inProgress('True', 'PodsPendingEviction', '2 pods are pending.');
const done = inProgress('False', 'Completed', '31 pods evicted.');

it.each([
  ['is held', [pacing, held, going], 'Paused', 'Paused.'],
  ['evicts', [pacing, going], 'Evicting', 'Evictions are proceeding.'],
  ['evicts without a Pacing condition', [going], 'Evicting', '2 pods are pending.'],
  ['has a plan', [pacing, plan], 'Planned', '3 pods would be evicted.'],
  ['is completed', [pacing, done], 'Completed', '31 pods evicted.'],
  ['has no condition', [], '', ''],
])('the state and the message of a rule that %s agree', (_, conditions, state, message) => {
  const rule = { kind: 'PacedTaintRule', metadata: { name: 'r' }, status: { conditions } };
  expect([stateOfRule(rule, false), messageOf(rule, false)]).toEqual([state, message]);
});

it('the state and the message of a rule that evicts say that the cluster is stopped while it is', () => {
  const rule = { kind: 'PacedTaintRule', metadata: { name: 'r' }, status: { conditions: [pacing, going] } };
  expect([stateOfRule(rule, true), messageOf(rule, true, 'Stopped by ada.')]).toEqual([
    'Held: Stopped',
    'Stopped by ada.',
  ]);
});

it.each([
  ['StandsStill', 'Held: StandsStill'],
  ['RateUnreadable', 'Held: RateUnreadable'],
  ['Held', 'Held'],
  ['NotPaced', 'Evicting'],
])('a rule whose Pacing condition is False with reason %s has the state %s', (reason, state) => {
  const conditions = [{ ...pacing, status: 'False', reason, message: `${reason}.` }, going];
  const rule = { kind: 'PacedTaintRule', metadata: { name: 'r' }, status: { conditions } };
  expect([stateOfRule(rule, false), messageOf(rule, false)]).toEqual([state, `${reason}.`]);
});

it.each([
  ['a stop that is over', stoppedText(stoppedBy([{ name: 'incident' }])), false, 'Evicting'],
  ['a stop while stops cannot be read', stoppedText(stoppedBy([{ name: 'incident' }])), 'Unknown', 'Held: Stopped'],
  [
    'that functions cannot read EvictionStops',
    stoppedText('it cannot be read whether one exists'),
    false,
    'Held: Stopped',
  ],
] as const)('a condition with %s gives a rule the right state', (_, message, isStopped, state) => {
  const conditions = [{ ...pacing, status: 'False', reason: 'Stopped', message }, going];
  const rule = { kind: 'PacedTaintRule', metadata: { name: 'r' }, status: { conditions } };
  expect(stateOfRule(rule, isStopped)).toBe(state);
  expect(messageOf(rule, isStopped)).toBe(state === 'Evicting' ? going.message : message);
});

it.each([
  ['is over', false, 'Evicting'],
  ['is not over', true, 'Held: Stopped'],
  ['cannot be read', 'Unknown', 'Held: Stopped'],
] as const)('a rule whose condition Held names a stop that %s has the right state', (_, isStopped, state) => {
  const message = stoppedText(stoppedBy([{ name: 'incident' }]));
  const conditions = [{ type: 'sluice.dev/Held', status: 'True', reason: 'Stopped', message }, going];
  const rule = { kind: 'PacedTaintRule', metadata: { name: 'r' }, status: { conditions } };
  expect(stateOfRule(rule, isStopped)).toBe(state);
});
