// What holds a whole cluster is shown by the conditions of its rules from its beginning to its end, as by the page and `why`.
import { describe, expect, it } from 'vitest';
import type { Heartbeat } from '../../../lib/model/change.ts';
import { removePause, setPause } from '../../../lib/state/pauseRows.ts';
import { aHeartbeat, aPacedRule } from '../../support/objects.ts';
import { type PacedWorld, pacedWorld, start } from '../../support/pacedWorld.ts';

const stop = { name: 'incident', uid: 'u', reason: 'disks fail', by: 'kubectl-create', since: start };
const slow = { taints: [{ key: 'k', effect: 'NoExecute', evictionsPerSecond: 1, burst: 1 }] };
const pods = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}`, {}]));
const said =
  'No pod of this cluster is evicted: stopped by EvictionStop incident (disks fail; by field manager kubectl-create at 2027-01-15T08:00:00Z); to continue: kubectl delete evictionstop incident.';

/** The watcher sends a heartbeat at once when EvictionStops change. */
async function setStops({ world, ingest }: PacedWorld, stops: NonNullable<Heartbeat['stops']>): Promise<void> {
  world.api.live.stopObjects = stops;
  world.setNow(world.now() + 1);
  await ingest({ ...aHeartbeat(world.now()), stops });
}

const held = ({ condition }: PacedWorld, rule = 'r') => condition(rule, 'sluice.dev/Held');
const pacing = ({ condition }: PacedWorld) => condition('r', 'sluice.dev/Pacing');

describe('the condition Held while an EvictionStop exists', () => {
  it('Held and Pacing name the EvictionStop, its author and reason, and end within a second of its deletion', async () => {
    const paced = await pacedWorld(pods);
    await paced.write(aPacedRule('r', slow));
    await paced.run(13);
    expect(pacing(paced)?.reason).toBe('Paced');
    await setStops(paced, [stop]);
    await paced.run(1);
    expect(held(paced)).toMatchObject({ status: 'True', reason: 'Stopped', message: said });
    expect(pacing(paced)).toMatchObject({ status: 'False', reason: 'Stopped', message: said });
    await paced.run(30);
    expect(held(paced)).toMatchObject({ status: 'True', reason: 'Stopped' });
    await setStops(paced, []);
    await paced.run(1);
    expect(held(paced)).toMatchObject({ status: 'False', reason: 'NotHeld' });
    expect(pacing(paced)).toMatchObject({ status: 'True', reason: 'Paced' });
  });

  it('a rule without pods shows an EvictionStop, and its end', async () => {
    const paced = await pacedWorld({});
    await paced.write(aPacedRule('r', slow));
    await paced.run(13);
    expect(held(paced)).toBeUndefined();
    await setStops(paced, [stop]);
    await paced.run(1);
    expect(held(paced)).toMatchObject({ status: 'True', message: said });
    await setStops(paced, []);
    await paced.run(1);
    expect(held(paced)).toMatchObject({ status: 'False' });
  });

  it('a paused rule shows the EvictionStop and its own pause, and its own pause afterwards', async () => {
    const paced = await pacedWorld({ a: {} });
    await paced.write(aPacedRule('r', { ...slow, paused: true }));
    await paced.run(3);
    await setStops(paced, [stop]);
    await paced.run(1);
    expect(held(paced)).toMatchObject({ reason: 'Stopped', message: `${said} Paused by spec.paused.` });
    await setStops(paced, []);
    await paced.run(1);
    expect(held(paced)).toMatchObject({ status: 'True', reason: 'Paused', message: 'Paused by spec.paused.' });
  });

  it('EvictionStops that cannot be read hold no rule without pods', async () => {
    const paced = await pacedWorld({});
    paced.world.api.live.stopObjects = { kind: 'Refused', why: '403 no', status: 403 };
    await paced.write(aPacedRule('r', slow));
    await paced.run(20);
    expect(held(paced)).toBeUndefined();
  });

  it('a stop of the cluster does not hold a rule that evicts nothing by its effect', async () => {
    const paced = await pacedWorld({});
    await setStops(paced, [stop]);
    await paced.write(aPacedRule('r', { taints: [{ key: 'k', effect: 'None' }] }));
    await paced.run(20);
    expect(held(paced)).toBeUndefined();
  });

  it('a heartbeat that repeats what is shown requests no reports', async () => {
    const paced = await pacedWorld({});
    for (let i = 0; i < 5; i++) await paced.write(aPacedRule(`r${i}`, slow));
    await setStops(paced, [stop]);
    await paced.run(30);
    paced.world.messages.length = 0;
    await setStops(paced, [stop]);
    expect(paced.world.messages.filter(({ stage }) => stage === 'report')).toEqual([]);
  });
});

describe('the condition Held while the cluster is paused', () => {
  it.each([
    ['the cluster', 'own', ''],
    ['every cluster', undefined, ', in every cluster'],
  ])(
    'a pause of %s is shown by Held and Pacing from the next heartbeat to that after its end',
    async (_, of, where) => {
      const paced = await pacedWorld(pods);
      const { world } = paced;
      const scope = { table: world.table, cluster: of === undefined ? undefined : world.cluster };
      await paced.write(aPacedRule('r', slow));
      await paced.write(aPacedRule('idle', { ...slow, deviceSelector: { driver: 'none.example.com' } }));
      await paced.run(13);
      await setPause(scope, { name: 'manual', why: 'audit', by: 'ada', since: start });
      await setStops(paced, []);
      await paced.run(1);
      const message = `Paused by manual (audit; by ada at 2027-01-15T08:00:00Z)${where}.`;
      expect(held(paced)).toMatchObject({ status: 'True', reason: 'Paused', message });
      expect(held(paced, 'idle')).toMatchObject({ status: 'True', reason: 'Paused', message });
      expect(pacing(paced)).toMatchObject({ status: 'False', reason: 'Held' });
      await removePause(scope, 'manual');
      await setStops(paced, []);
      await paced.run(1);
      expect([held(paced)?.status, held(paced, 'idle')?.status]).toEqual(['False', 'False']);
      expect(pacing(paced)).toMatchObject({ status: 'True', reason: 'Paced' });
    },
  );
});
