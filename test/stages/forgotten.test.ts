// No pod is forgotten: whatever messages are lost, a day of sweeps evicts every pod that is due and leaves no work unfinished.
import { describe, expect, it } from 'vitest';
import { unfinishedWork } from '../faults/unfinishedWork.ts';
import { aHeartbeat, aPacedRule } from '../support/objects.ts';
import { type PacedWorld, pacedWorld } from '../support/pacedWorld.ts';
import type { Message } from '../support/world.ts';

const pods = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`p${i}`, {}]));
const hour = 3600_000;
const rule = aPacedRule('r', {
  taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 1, burst: 1 }],
});

/** A day in which the watcher sends only heartbeats. */
async function aDay({ world, ingest }: PacedWorld): Promise<void> {
  for (const end = world.now() + 24 * hour; world.now() < end; ) {
    await ingest(aHeartbeat(world.now()));
    await world.runUntil(world.now() + 60_000);
  }
}

describe('a minute without the messages of a stage', () => {
  it.each<Message['stage']>(['evaluate', 'evict', 'report', 'dueEvict', 'dueReport', 'event'])(
    'the sweeps of a day evict every due pod when all %s messages of the first minute are lost',
    async (stage) => {
      const paced = await pacedWorld(pods);
      const { messages } = paced.world;
      await paced.write(rule);
      for (let second = 0; second < 60; second++) {
        messages.splice(0, Number.POSITIVE_INFINITY, ...messages.filter((one) => one.stage !== stage));
        await paced.run(1);
      }
      await aDay(paced);
      expect(paced.gone()).toEqual(Object.keys(pods));
      expect(unfinishedWork(paced.world.table.rows(), paced.world.now())).toEqual([]);
    },
  );
});
