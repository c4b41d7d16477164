// Taints recorded by concurrent handlers: in the end the record equals the slices, and waves follow from it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemory } from '../../lib/memory.ts';
import type { ResourceSlice } from '../../lib/model/objects.ts';
import { readAllStanding } from '../../lib/state/standingRows.ts';
import { readWaves } from '../../lib/state/waveRows.ts';
import { aHeartbeat, aSlice, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { createWorld } from '../support/world.ts';

const start = 1_800_000_000_000;
const devices = ['a', 'b', 'c'];
const ecc = { key: 'example.com/ecc', effect: 'NoExecute', timeAdded: start };
const policy = evictionPolicy({ observer: { minDevices: 3, percent: 100, window: 60_000 } });

/** For each device, in a slice of its own, whether it is tainted in each of its versions. */
const histories = fc.tuple(...devices.map(() => fc.array(fc.boolean(), { minLength: 1, maxLength: 3 })));

function versionsOf(history: readonly (readonly boolean[])[]): readonly ResourceSlice[] {
  return history.flatMap((versions, i) => {
    const name = devices[i] ?? '';
    return versions.map((isTainted, version) =>
      aSlice(name, { resourceVersion: String(100 + version), devices: [{ name, taints: isTainted ? [ecc] : [] }] }),
    );
  });
}

describe('slices that change concurrently', () => {
  it('concurrent changes record the final taints, with a wave if all devices are tainted and none if no device is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), histories, async (scheduler, history) => {
        let isRacing = false;
        const world = createWorld({
          start,
          beforeCall: async () => {
            if (isRacing) await scheduler.schedule(Promise.resolve());
          },
        });
        const state = { table: world.table, cluster: world.cluster };
        const deliver = (body: Parameters<typeof upserted>[0]) =>
          world.deliver({ stage: 'ingest', at: world.now(), body: [upserted(body)] });
        await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start), upserted(policy)] });
        isRacing = true;
        const slices = versionsOf(history);
        const results = await scheduler.waitFor(Promise.allSettled(slices.map(deliver)));
        isRacing = false;
        // A message whose function failed is delivered again.
        for (const [i, { status }] of results.entries()) {
          const slice = slices[i];
          if (status === 'rejected' && slice) await deliver(slice);
        }
        const tainted = devices.filter((_, i) => history[i]?.at(-1));
        const standing = [...(await readAllStanding(state))]
          .filter(([, seen]) => seen.some(({ liftedAt }) => liftedAt === undefined))
          .map(([device]) => device.split('|')[2])
          .sort();
        expect(standing).toEqual(tainted);
        const waves = (await readWaves(state)).map(({ wave }) => wave.devices);
        if (tainted.length === devices.length) expect(waves).toEqual([3]);
        if (tainted.length === 0) expect(waves).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('a wave stays if all taints return while another process handles their removal, at any table call', async () => {
    const published = (isTainted: boolean, resourceVersion: string) =>
      upserted(
        aSlice('all', {
          resourceVersion,
          devices: devices.map((name) => ({ name, taints: isTainted ? [ecc] : [] })),
        }),
      );
    let calls = Number.POSITIVE_INFINITY;
    for (let at = 0; at < calls; at++) {
      let count: number | undefined;
      const world = createWorld({
        start,
        beforeCall: async () => {
          if (count === undefined || count++ !== at) return;
          const other = { ...world.deps, memory: createMemory() };
          await world.deliver({ stage: 'ingest', at: start, body: [published(true, '3')] }, other);
        },
      });
      const state = { table: world.table, cluster: world.cluster };
      await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start), upserted(policy)] });
      await world.deliver({ stage: 'ingest', at: start, body: [published(true, '1')] });
      expect(await readWaves(state)).toHaveLength(1);
      count = 0;
      await world.deliver({ stage: 'ingest', at: start, body: [published(false, '2')] });
      calls = count;
      count = undefined;
      if (at < calls) expect((await readWaves(state)).map(({ wave }) => wave.devices)).toEqual([3]);
    }
  });
});
