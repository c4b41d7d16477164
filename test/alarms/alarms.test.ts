// Every alarm of the template fires on the metrics that functions and services report under its fault, and not otherwise.
import { beforeAll, describe, expect, it } from 'vitest';
import { runbookEntries } from '../../lib/config/runbookEntries.ts';
import { dimensionsOf } from '../infra/support/alarms.ts';
import { faults } from './faults.ts';
import { createLife } from './life.ts';
import { watchedAlarm } from './watchedAlarm.ts';

const life = createLife(1_800_000_000_000);
const alarms = life.template.ofType('AWS::CloudWatch::Alarm').map((alarm) => {
  const entry = runbookEntries.find((one) => String(alarm.properties.AlarmDescription).endsWith(`#${one}`));
  if (!entry) throw new Error(`${alarm.path} leads to no entry of the runbook`);
  return { ...watchedAlarm(alarm.path, { ...alarm.properties, dimensions: dimensionsOf(alarm) }), entry };
});

const ringing = () => alarms.filter((one) => life.stateOf(one) === 'ALARM').map(({ name }) => name);
/** Minutes until `holds` is true, at most `limit`. */
async function minutesUntil(holds: () => boolean, limit: number): Promise<number> {
  let passed = 0;
  for (; passed < limit && !holds(); passed++) await life.live(1);
  return holds() ? passed : Number.POSITIVE_INFINITY;
}
/** Whether no alarm is firing after dead letters were redriven, as the runbook says. */
const isQuiet = () => {
  life.redrive();
  return ringing().length === 0;
};

describe('a running installation', () => {
  beforeAll(() => life.live(30));

  it('a running installation evicts pods and no alarm fires', () => {
    for (const [cluster, { deletes }] of Object.entries(life.api))
      expect([cluster, deletes.length]).toEqual([cluster, expect.toSatisfy((count: number) => count > 10)]);
    expect(ringing()).toEqual([]);
  });

  it.each(alarms)(
    'the alarm $name fires within minutes of its fault and clears after the fault is undone',
    async (alarm) => {
      const { begin, within } = faults[alarm.entry];
      expect(ringing()).toEqual([]);
      const undo = begin(life, alarm);
      const took = await minutesUntil(() => life.stateOf(alarm) === 'ALARM', within);
      undo();
      expect(took).toBeLessThanOrEqual(within);
      expect(await minutesUntil(isQuiet, 60)).toBeLessThan(60);
    },
    240_000,
  );
});
