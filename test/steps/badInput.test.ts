// Invalid or contradictory input: the pods are kept, and a condition says why.
import { describe, expect, it } from 'vitest';
import type { EvictionPolicy } from '../../lib/model/policy.ts';
import { aHeartbeat, aPacedRule, aRule, deleted, nextVersion, upserted } from '../support/objects.ts';
import { evictionPolicy } from '../support/pacedBuilders.ts';
import { type PacedWorld, pacedWorld, start } from '../support/pacedWorld.ts';
import { keepsPace, setsOf } from '../support/sets.ts';

const pods = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}]));
const held = 'sluice.dev/Held';
const pacing = 'sluice.dev/Pacing';
const named = (name: string, policy: Partial<EvictionPolicy>) =>
  evictionPolicy({ ...policy, name, uid: `uid-${name}` });

const accepted = ({ world }: PacedWorld, policy: string) =>
  world.api.policyObjects.get(policy)?.conditions.find(({ type }) => type === 'Accepted');

describe('policies that contradict each other', () => {
  it('contradictory policies hold what both select, name each other, and release it once one is deleted', async () => {
    const paced = await pacedWorld(pods(3));
    const { ask, ingest, write, run, gone, condition } = paced;
    const second = named('b', { evictionsPerSecond: 5 });
    await ask(named('a', { evictionsPerSecond: 1 }));
    await ask(second);
    await write(aPacedRule('r'));
    await run(30);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({
      status: 'True',
      reason: 'PoliciesContradict',
      message: expect.stringMatching(/^EvictionPolicies a and b are equally specific/),
    });
    await ingest(deleted({ ...second, resourceVersion: nextVersion() }));
    await run(30);
    expect(gone()).toHaveLength(3);
    expect(condition('r', held)).toMatchObject({ status: 'False' });
  });

  it('a policy with a rate above its own cap evicts at the cap', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(30));
    await ask(evictionPolicy({ evictionsPerSecond: 10, burst: 1, maxEvictionsPerSecond: 1 }));
    await write(aPacedRule('r'));
    await run(12);
    expect(gone().length).toBeLessThanOrEqual(14);
    expect(condition('r', pacing)?.message).toMatch(/capped by EvictionPolicy policy/);
  });
});

describe('a policy that cannot be used', () => {
  it.each<[string, Partial<EvictionPolicy>, string, RegExp]>([
    ['a rate of 10^9', { evictionsPerSecond: 1e9 }, 'PolicyUnusable', /evictionsPerSecond .* is "1000000000"/],
    ['a rate of 10^-9', { evictionsPerSecond: 1e-9 }, 'PolicyUnusable', /evictionsPerSecond .* is "1e-9"/],
    ['a cap of 10^9', { maxEvictionsPerSecond: 1e9 }, 'PolicyUnusable', /maxEvictionsPerSecond/],
    ['a fractional burst', { burst: 0.5 }, 'PolicyUnusable', /burst .* is "0.5", which is no whole number/],
    [
      'a time zone that does not exist',
      { windows: [{ schedule: '* * * * *', duration: 60_000, timeZone: 'Mars/Olympus' }] },
      'PolicyUnusable',
      /time zone "Mars\/Olympus" does not exist/,
    ],
    [
      'an invalid schedule',
      { windows: [{ schedule: 'at night', duration: 60_000 }] },
      'PolicyUnusable',
      /schedule "at night"/,
    ],
    [
      'windows that never open',
      { windows: [{ schedule: '0 0 30 2 *', duration: 60_000 }] },
      'OutsideWindow',
      /they never open/,
    ],
  ])('a policy with %s evicts no pod, and rule and policy say why', async (_, policy, reason, says) => {
    const paced = await pacedWorld(pods(3));
    await paced.ask(evictionPolicy(policy));
    await paced.write(aPacedRule('r'));
    await paced.run(40);
    expect(paced.gone()).toEqual([]);
    expect(paced.condition('r', held)).toMatchObject({ status: 'True', reason, message: expect.stringMatching(says) });
    expect(accepted(paced, 'policy')).toMatchObject({ status: 'False' });
  });

  it('a policy with a duration beyond the range of a Date holds only the taints that it selects', async () => {
    const paced = await pacedWorld(pods(3));
    const windows = [{ schedule: '* * * * *', duration: 8.7e15 }];
    await paced.ask(named('far', { taints: { keys: ['example.com/far'] }, windows }));
    await paced.write(aPacedRule('far', { taints: [{ key: 'example.com/far', effect: 'NoExecute' }] }));
    await paced.write(aPacedRule('r'));
    await paced.run(15);
    expect(paced.gone()).toHaveLength(3);
    expect(paced.condition('far', held)).toMatchObject({ status: 'True', reason: 'PolicyUnusable' });
    expect(accepted(paced, 'far')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('duration is longer than 8784h'),
    });
  });
});

describe('an approval', () => {
  const digestIn = (text: string | undefined) => /sluice\.dev\/approve=([0-9a-f]{12})$/.exec(text ?? '')?.[1] ?? 'none';

  it('an approval of an earlier generation of the rule does not count, and the rule says so', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(evictionPolicy({ approval: 'Required' }));
    await write(aPacedRule('r'));
    await run(30);
    const annotations = { 'sluice.dev/approve': digestIn(condition('r', held)?.message) };
    await write(aPacedRule('r', { annotations, generation: 2 }));
    await run(30);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({
      reason: 'AwaitingApproval',
      message: expect.stringContaining(
        'The approval is outdated: it is of generation 1 of the rule, which is of 2 now.',
      ),
    });
  });

  it('an approval of a plan that was not offered does not count, and the rule says so', async () => {
    const { ask, write, run, gone, condition } = await pacedWorld(pods(3));
    await ask(evictionPolicy({ approval: 'Required' }));
    await write(aPacedRule('r', { annotations: { 'sluice.dev/approve': '0123456789ab' } }));
    await run(30);
    expect(gone()).toEqual([]);
    expect(condition('r', held)?.message).toContain(
      'sluice.dev/approve=0123456789ab does not match any plan offered for this rule.',
    );
  });
});

describe('a clock', () => {
  const slow = { taints: [{ key: 'example.com/bad', effect: 'NoExecute', evictionsPerSecond: 1, burst: 1 }] };
  const hour = 3_600_000;

  it('a clock that jumps back an hour grants no token: no pod is evicted, and the rule says why', async () => {
    const { world, write, run, gone, condition } = await pacedWorld(pods(60));
    await write(aPacedRule('r', slow));
    await run(10);
    const before = gone().length;
    world.setNow(world.now() - hour);
    await world.deliver({
      stage: 'report',
      at: world.now(),
      body: { cluster: world.cluster, rule: 'PacedTaintRule/r' },
    });
    await world.deliver({
      stage: 'evict',
      at: world.now(),
      body: { cluster: world.cluster, limiter: 'rule|uid-r|example.com/bad|NoExecute' },
    });
    expect(gone()).toHaveLength(before);
    expect(condition('r', pacing)).toMatchObject({ status: 'False', message: 'Held: WatcherSilent.' });
    await run(5);
    expect(gone().length).toBeLessThanOrEqual(before + 1);
  });

  it('a clock that jumps forward an hour evicts no pod until the next heartbeat, and causes no burst after it', async () => {
    const { world, write, run, gone, condition, ingest } = await pacedWorld(pods(60));
    await write(aPacedRule('r', slow));
    await run(10);
    const before = gone().length;
    world.setNow(world.now() + hour);
    await world.runUntil(world.now() + 130_000);
    expect(gone()).toHaveLength(before);
    expect(condition('r', pacing)).toMatchObject({ status: 'False', message: 'Held: WatcherSilent.' });
    const from = world.now();
    await ingest(aHeartbeat(from));
    await run(20);
    expect(gone().length).toBeGreaterThan(before + 15);
    expect(gone().length).toBeLessThanOrEqual(before + 23);
    const later = world.api.deletes.map(({ at }) => at).filter((at) => at > from);
    expect(keepsPace(later, { perSecond: 1, burst: 1 })).toBe(true);
    expect(condition('r', pacing)).toMatchObject({ status: 'True' });
  });

  it('a watcher clock that was an hour ahead is trusted again as soon as it is corrected', async () => {
    const { world, ingest, write, run, gone } = await pacedWorld(pods(3));
    await ingest(aHeartbeat(world.now() + hour));
    world.setNow(world.now() + 6000);
    await write(aPacedRule('r'));
    await world.runUntil(world.now() + 5000);
    expect(gone()).toEqual([]);
    await ingest(aHeartbeat(world.now()));
    await run(5);
    expect(gone()).toHaveLength(3);
  });
});

describe('a policy that is emptied or deleted', () => {
  it('a rule whose policy is emptied continues at the default rate within a second, and says so', async () => {
    const { world, write, ingest, run, gone } = await setsOf({ a: { pods: 250 } });
    const policy = { ...evictionPolicy({ evictionsPerSecond: 1, burst: 1 }), resourceVersion: nextVersion() };
    await ingest(upserted(policy));
    await write(aRule('r', start, { deviceSelector: { pool: 'a' } }));
    await run(20);
    const said = () => world.api.rules.get('r')?.conditions.find(({ type }) => type === pacing)?.message;
    expect(said()).toMatch(/^1 pods a second, burst 1 \(by evictionsPerSecond of EvictionPolicy policy\)/);
    const before = gone('a').length;
    expect(before).toBeLessThanOrEqual(22);
    const from = world.now();
    await ingest(upserted({ ...evictionPolicy({ generation: 2 }), resourceVersion: nextVersion() }));
    await run(12);
    expect(said()).toMatch(/^10 pods a second, burst 10 \(under EvictionPolicy policy\): next pod at /);
    const later = world.api.deletes.map(({ at }) => at).filter((at) => at > from);
    expect(later.length).toBeGreaterThan(90);
    expect(keepsPace(later, { perSecond: 10, burst: 10 })).toBe(true);
    await run(20);
    expect(gone('a')).toHaveLength(250);
    expect(new Set(world.api.deletes.map(({ pod }) => pod.uid)).size).toBe(250);
  });

  it('the deletion of a paused policy does not release a rule that is paused itself', async () => {
    const { write, ask, ingest, run, gone, condition } = await pacedWorld(pods(3));
    const policy = evictionPolicy({ paused: true });
    await ask(policy);
    await write(aPacedRule('r', { paused: true }));
    await run(15);
    await ingest(deleted({ ...policy, resourceVersion: nextVersion() }));
    await run(15);
    expect(gone()).toEqual([]);
    expect(condition('r', held)).toMatchObject({
      reason: 'Paused',
      message: expect.stringMatching(
        /^Paused by spec\.paused\. EvictionPolicy policy was deleted while pods waited under it, .* sluice\.dev\/approve=[0-9a-f]{12}$/,
      ),
    });
  });
});
