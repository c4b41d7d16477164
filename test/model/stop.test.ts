// The text that is shown while EvictionStops exist, and the command that continues.
import { expect, it } from 'vitest';
import { continueCommand, describeStops, namesStops, stoppedBy, stoppedText } from '../../lib/model/stop.ts';

const stops = [{ name: 'incident', reason: 'disks fail' }, { name: 'audit' }];

it('each EvictionStop is named, with its reason if it has one', () => {
  expect(describeStops(stops)).toBe('EvictionStop incident (disks fail); EvictionStop audit');
});

it('the text of a stopped cluster names its EvictionStops and the command that deletes them', () => {
  expect(continueCommand(stops)).toBe('kubectl delete evictionstop incident audit');
  expect(stoppedBy(stops)).toBe(
    'stopped by EvictionStop incident (disks fail); EvictionStop audit; to continue: kubectl delete evictionstop incident audit',
  );
  expect(stoppedText(stoppedBy(stops.slice(1)))).toBe(
    'No pod of this cluster is evicted: stopped by EvictionStop audit; to continue: kubectl delete evictionstop audit.',
  );
});

it.each([
  ['a reason from kubectl', 'disks fail', 'disks fail; by field manager kubectl-create at 1970-01-01T00:00:00Z'],
  ['no reason', undefined, 'by field manager kubectl-create at 1970-01-01T00:00:00Z'],
  ['a note of sluice pause', 'audit; by ada at 2026-01-01T00:00:00Z', 'audit; by ada at 2026-01-01T00:00:00Z'],
])('an EvictionStop with %s is shown with its author and time once', (_, reason, note) => {
  const known = { name: 'x', by: 'kubectl-create', since: 0, ...(reason === undefined ? {} : { reason }) };
  expect(describeStops([known])).toBe(`EvictionStop x (${note})`);
});

it.each([
  ['author', { since: 0 }],
  ['time', { by: 'kubectl-create' }],
])('an EvictionStop without its %s is shown with its reason alone', (_, known) => {
  expect(describeStops([{ name: 'x', reason: 'disks fail', ...known }])).toBe('EvictionStop x (disks fail)');
});

it('only a text that names an EvictionStop says that one exists', () => {
  expect(namesStops(stoppedText(stoppedBy(stops)))).toBe(true);
  expect(namesStops(stoppedText('it cannot be read whether an EvictionStop is there: 403'))).toBe(false);
});
