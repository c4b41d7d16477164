// Any call to table, queue or API server fails, or the function crashes there: the step is retried; nothing is lost or done twice.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import type { EventToRecord } from '../../lib/model/status.ts';
import type { Around } from '../support/around.ts';
import { aClaim, aHeartbeat, aPod, aRule, deleted, upserted } from '../support/objects.ts';
import { createWorld, type World } from '../support/world.ts';

const start = 1_800_000_000_000;
const names = ['a', 'b', 'c'];

/** Before: the call is not made. After: it is made, and its response is lost. */
type When = 'before' | 'after';

/** Counts calls, from 1, and fails those that `fails` selects. */
function failing(fails: (call: number) => boolean, when: When): { around: Around; calls: () => number } {
  let calls = 0;
  const around: Around = async (name, call) => {
    const failsNow = fails(++calls);
    if (failsNow && when === 'before') throw new Error(`ThrottlingException at call ${calls} (${name})`);
    const answer = await call();
    if (failsNow) throw new Error(`TimeoutError after call ${calls} (${name})`);
    return answer;
  };
  return { around, calls: () => calls };
}

/** Three pods that a rule evicts, and two that it must not: one without a claim, and one whose claim is deleted meanwhile. */
async function play(around: Around): Promise<World> {
  const world = createWorld({ start, around });
  const rule = aRule('bad', start);
  world.api.rules.set('bad', { rule, conditions: [] });
  for (const name of [...names, 'bystander'])
    world.api.pods.set(`default/${name}`, { uid: `uid-${name}`, terminating: false, marked: false });
  const gone = { ...aClaim('gone', 'gone') };
  const batches: Change[][] = [
    [aHeartbeat(start), ...names.map((name) => upserted(aClaim(name, name)))],
    [...names, 'bystander', 'gone'].map((name) => upserted(aPod(name))),
    [upserted(gone), deleted(gone), upserted(rule)],
  ];
  for (const body of batches) world.messages.push({ stage: 'ingest', at: start, body });
  for (let passed = 0; passed < 180_000; passed += 10_000) {
    await world.runUntil(start + passed);
    world.messages.push({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now())] });
  }
  return world;
}

/** If the deletion of its claim arrives late, this pod is planned for a while, and then cancelled. */
function isOfGone({ regarding, message }: EventToRecord): boolean {
  return regarding.name === 'gone' && message.startsWith('Cancelling');
}

function outcomeOf(world: World) {
  return {
    deleted: world.api.deletes.map((one) => one.pod.name).sort(),
    condition: world.api.rules
      .get('bad')
      ?.conditions.map(({ status, reason, message }) => ({ status, reason, message })),
    events: [...world.api.recorded.values()]
      .filter((one) => !isOfGone(one))
      .map((one) => one.message)
      .sort(),
  };
}

const undisturbed = failing(() => false, 'before');
const expected = outcomeOf(await play(undisturbed.around));
const calls = undisturbed.calls();

describe('one failing call', () => {
  it('three pods are evicted and the rule says so when no call fails', () => {
    expect(expected.deleted).toEqual(names);
    expect(expected.condition).toEqual([
      { status: 'False', reason: 'Completed', message: '3 pods evicted since starting the controller.' },
    ]);
    expect(calls).toBeGreaterThan(50);
  });

  it.each<When>(['before', 'after'])(
    'a call that fails %s its effect changes nothing in the end, whichever call it is',
    async (when) => {
      for (let at = 1; at <= calls; at++) {
        const world = await play(failing((call) => call === at, when).around);
        expect([at, outcomeOf(world)]).toEqual([at, expected]);
      }
    },
    120_000,
  );
});

describe('two failing calls', () => {
  it.each<When>(['before', 'after'])('two calls that fail %s their effect change nothing in the end', async (when) => {
    const last = 220;
    for (let first = 1; first <= last; first += 3) {
      // The two strides have no common factor, so that every distance between the two calls occurs.
      for (let second = first + 1; second <= last; second += 37) {
        const world = await play(failing((call) => call === first || call === second, when).around);
        expect([first, second, outcomeOf(world)]).toEqual([first, second, expected]);
      }
    }
  });
});

describe('an outage', () => {
  it.each<When>(['before', 'after'])(
    'an outage in which forty calls fail %s their effect loses no pod',
    async (when) => {
      for (const from of [1, 10, 30, 60]) {
        const world = await play(failing((call) => call >= from && call < from + 40, when).around);
        expect([from, outcomeOf(world).deleted]).toEqual([from, names]);
      }
    },
  );

  it('an outage of every third call evicts no pod twice, and none that the rule does not select', async () => {
    const world = await play(failing((call) => call % 3 === 0, 'before').around);
    const { deleted } = outcomeOf(world);
    expect(new Set(deleted).size).toBe(deleted.length);
    expect(names).toEqual(expect.arrayContaining(deleted));
  });
});
