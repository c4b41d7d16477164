// A throttled report returns to its queue; each receive counts towards the dead-letter queue, so only one message of a rule returns.
import { expect, it } from 'vitest';
import { maxReceiveCount } from '../../../lib/contract.ts';
import { ruleRef } from '../../../lib/model/rule.ts';
import { lookAtDueReport, report } from '../../../lib/stages/report/index.ts';
import { reportKey } from '../../../lib/state/keys.ts';
import { askForReport } from '../../../lib/state/reportRows.ts';
import { isComeBack } from '../../../lib/steps/step.ts';
import { aClaim, aHeartbeat, aPod, aRule, driver, upserted } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;

/** A rule that evicts nothing, so that each pod of `add` changes what its condition says. */
async function worldWithRule(effect: 'NoExecute' | 'None' = 'NoExecute') {
  const world = createWorld({ start });
  const annotations = { 'sluice.dev/evictions-per-second': '0' };
  const taint = { key: 'example.com/bad', effect, timeAdded: start };
  const rule = aRule('bad', start, { annotations, deviceSelector: { driver }, taint });
  world.api.rules.set('bad', { rule, conditions: [] });
  let pods = 0;
  const add = async () => {
    const name = `p${pods++}`;
    const body = [aHeartbeat(world.now()), upserted(aClaim(name, name)), upserted(aPod(name))];
    await world.deliver({ stage: 'ingest', at: world.now(), body });
    // Evaluated, and its own report not yet sent.
    await world.runUntil(world.now() + 1000);
  };
  await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start), upserted(rule)] });
  await add();
  await world.runUntil(start + 2000);
  const written = () => world.api.rules.get('bad')?.conditions.find(({ type }) => type === 'EvictionInProgress');
  const before = written()?.message;
  expect(before).toMatch(/\b1 pod\b/);
  const message = { cluster: world.cluster, rule: ruleRef(rule) };
  return { world, add, before, written, message, key: reportKey(world.cluster, ruleRef(rule)) };
}

it('none of five throttled reports of one rule returns to the queue while the one that a change requested is still to come', async () => {
  const { world, add, message } = await worldWithRule();
  await add();
  const toCome = () => world.messages.filter(({ stage }) => stage === 'report').length;
  expect(toCome()).toBeGreaterThan(0);
  for (let i = 0; i < 5; i++) expect(await report(world.depsOf('report'), message)).toBeUndefined();
});

it('only one of five throttled reports of one rule returns to the queue', async () => {
  const { world, add, message, key } = await worldWithRule();
  await add();
  await world.table.write({ kind: 'Delete', key });
  const answers = [];
  for (let i = 0; i < 5; i++) answers.push(await report(world.depsOf('report'), message));
  expect(answers.filter(isComeBack)).toHaveLength(1);
});

it('reports of a rule that changes each second are not received often enough to become dead letters', async () => {
  const { world, add, before, message, written } = await worldWithRule();
  let waiting = Array.from({ length: 12 }, () => ({ at: world.now(), receives: 0 }));
  let most = 0;
  for (let round = 0; round < 120; round++) {
    await add();
    world.messages.splice(0, world.messages.length, ...world.messages.filter(({ stage }) => stage !== 'report'));
    const [due, later] = [waiting.filter(({ at }) => at <= world.now()), waiting.filter(({ at }) => at > world.now())];
    waiting = later;
    for (const { receives } of due) {
      // Another pod between two reports, so that they do not say the same.
      await add();
      const answer = await report(world.depsOf('report'), message);
      most = Math.max(most, receives + 1);
      if (isComeBack(answer)) waiting.push({ at: world.now() + answer.seconds * 1000, receives: receives + 1 });
    }
  }
  expect(most).toBeLessThan(maxReceiveCount);
  expect(written()?.message).not.toBe(before);
});

it('a report that the sweep sent again, and that is throttled, is written when it returns', async () => {
  const { world, add, written, key } = await worldWithRule();
  await add();
  world.messages.length = 0;
  await world.table.write({ kind: 'Update', key, change: { set: { reportAt: world.now() - 60_000 } } });
  const due = { cluster: world.cluster, rows: [key] };
  const answer = await lookAtDueReport(world.depsOf('report'), due);
  expect(isComeBack(answer)).toBe(true);
  world.setNow(world.now() + 11_000);
  await lookAtDueReport(world.depsOf('report'), due);
  expect(written()?.message).toMatch(/^2 pods need/);
});

it('a report that fails until it is a dead letter is due again, and written then', async () => {
  const { world, add, before, written, message } = await worldWithRule('None');
  await add();
  world.messages.length = 0;
  world.setNow(world.now() + 11_000);
  const { read } = world.api.live;
  world.api.live.read = async () => ({ kind: 'RetryLater', why: 'connection refused', after: 0 });
  for (let receive = 0; receive < maxReceiveCount; receive++)
    await expect(report(world.depsOf('report'), message)).rejects.toThrow('connection refused');
  world.api.live.read = read;
  await world.runUntil(world.now() + 20 * 60_000);
  expect(written()?.message).not.toBe(before);
});

it('a report whose function ends in the middle of it is due again, and written then', async () => {
  const { world, add, before, written, message } = await worldWithRule('None');
  await add();
  world.messages.length = 0;
  world.setNow(world.now() + 11_000);
  const { read } = world.api.live;
  // What a function that runs out of time or memory leaves: a call without an end, and no further receive of its message.
  await new Promise<void>((reached) => {
    world.api.live.read = () => {
      reached();
      return new Promise(() => {});
    };
    void report(world.depsOf('report'), message);
  });
  world.api.live.read = read;
  await world.runUntil(world.now() + 20 * 60_000);
  expect(written()?.message).not.toBe(before);
});

it('a report that is written leaves nothing due, and no row', async () => {
  const { world, add, message, key } = await worldWithRule();
  await add();
  world.messages.length = 0;
  world.setNow(world.now() + 11_000);
  expect(await report(world.depsOf('report'), message)).toBeUndefined();
  expect(await world.table.get(key)).toBeUndefined();
});

it('a report that a change requests while another is under way stays due when that one is written', async () => {
  const { world, add, message, key } = await worldWithRule();
  await add();
  world.messages.length = 0;
  world.setNow(world.now() + 11_000);
  const { read } = world.api.live;
  const at = world.now() + 10_000;
  world.api.live.read = async (...args) => {
    const by = { at, now: world.now() };
    expect(await askForReport({ table: world.table, cluster: world.cluster }, message.rule, by)).toBe('Asked');
    return read(...args);
  };
  expect(await report(world.depsOf('report'), message)).toBeUndefined();
  expect(await world.table.get(key)).toMatchObject({ reportAt: at });
});
