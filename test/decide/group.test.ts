// Which pods go together: the workloads that fail as one, and the slots that their members may share.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOf, ownerOf, sharedSlot } from '../../lib/decide/group.ts';
import { inLine } from '../../lib/decide/line.ts';
import type { Ledger, Reservation } from '../../lib/model/eviction.ts';
import type { Pod } from '../../lib/model/objects.ts';
import { aPod } from '../support/objects.ts';

const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'train', uid: 'job-1' };
const jobSet = { 'jobset.sigs.k8s.io/jobset-name': 'train' };
const leaderWorkerSet = (index?: string) => ({
  'leaderworkerset.sigs.k8s.io/name': 'serve',
  ...(index === undefined ? {} : { 'leaderworkerset.sigs.k8s.io/group-index': index }),
});

describe('the workload of a pod', () => {
  it.each<[string, Partial<Pod>, string | undefined]>([
    ['nobody', {}, undefined],
    ['a Job', { controller: job }, 'Job/default/job-1'],
    ['a Job of an older API', { controller: { ...job, apiVersion: 'batch/v1beta1' } }, 'Job/default/job-1'],
    ['a Job of another group', { controller: { ...job, apiVersion: 'batch.volcano.sh/v1alpha1' } }, undefined],
    ['a ReplicaSet', { controller: { ...job, apiVersion: 'apps/v1', kind: 'ReplicaSet' } }, undefined],
    ['a StatefulSet', { controller: { ...job, apiVersion: 'apps/v1', kind: 'StatefulSet' } }, undefined],
    ['a JobSet, before its Job', { controller: job, labels: jobSet }, 'JobSet/default/train'],
    ['a JobSet without a name', { labels: { 'jobset.sigs.k8s.io/jobset-name': '' } }, undefined],
    ['a LeaderWorkerSet', { labels: leaderWorkerSet('3') }, 'LeaderWorkerSet/default/serve'],
    ['a LeaderWorkerSet that numbers no groups', { labels: leaderWorkerSet() }, 'LeaderWorkerSet/default/serve'],
    ['a PodGroup', { podGroupName: 'gang' }, 'PodGroup/default/gang'],
    ['a PodGroup, before its Job', { podGroupName: 'gang', controller: job }, 'PodGroup/default/gang'],
    ['a JobSet, before its PodGroup', { podGroupName: 'gang', labels: jobSet }, 'JobSet/default/train'],
    ['a PodGroup without a name', { podGroupName: '', controller: job }, 'Job/default/job-1'],
    [
      'a Workload',
      { workloadRef: { name: 'w', podGroup: 'workers', podGroupReplicaKey: '1' } },
      'Workload/default/w/workers/1',
    ],
    ['a Workload without replicas', { workloadRef: { name: 'w', podGroup: 'workers' } }, 'Workload/default/w/workers/'],
    [
      'a PodGroup of the coscheduling plugin',
      { labels: { 'scheduling.x-k8s.io/pod-group': 'gang' } },
      'PodGroup.scheduling.x-k8s.io/default/gang',
    ],
    ['an empty label of that plugin', { labels: { 'scheduling.x-k8s.io/pod-group': '' } }, undefined],
    ['other labels', { labels: { app: 'x' } }, undefined],
  ])('%s', (_, pod, group) => {
    expect(groupOf(aPod('a', pod), 'Workload')).toBe(group);
  });

  it.each<[string, Partial<Pod>, string | undefined]>([
    ['one group of a LeaderWorkerSet', { labels: leaderWorkerSet('3') }, 'LeaderWorkerSet/default/serve/3'],
    ['a LeaderWorkerSet that numbers no groups', { labels: leaderWorkerSet() }, 'LeaderWorkerSet/default/serve/'],
    ['a whole JobSet', { labels: jobSet }, 'JobSet/default/train'],
    ['a Job', { controller: job }, 'Job/default/job-1'],
    ['nobody', {}, undefined],
  ])('by replica: %s', (_, pod, group) => {
    expect(groupOf(aPod('a', pod), 'Replica')).toBe(group);
  });

  it.each<[string, Partial<Pod>, string | undefined]>([
    ['the set, whose Jobs are replaced when it restarts', { labels: jobSet, controller: job }, 'JobSet/default/train'],
    ['the LeaderWorkerSet', { labels: leaderWorkerSet('3'), controller: job }, 'LeaderWorkerSet/default/serve'],
    ['the controller', { controller: job }, 'job-1'],
    ['nobody', {}, undefined],
  ])('is created anew by %s', (_, pod, owner) => {
    expect(ownerOf(aPod('a', pod))).toBe(owner);
  });

  it('reaches no farther than its namespace, whatever its labels say', () => {
    const text = fc.constantFrom('a', 'b', 'a/b', '');
    const pod = fc.record({
      namespace: fc.constantFrom('team-a', 'team-b'),
      labels: fc.dictionary(
        fc.constantFrom(
          'jobset.sigs.k8s.io/jobset-name',
          'leaderworkerset.sigs.k8s.io/name',
          'leaderworkerset.sigs.k8s.io/group-index',
          'scheduling.x-k8s.io/pod-group',
        ),
        text,
      ),
      podGroupName: text,
      controller: fc.constant(job),
    });
    fc.assert(
      fc.property(pod, pod, (a, b) => {
        fc.pre(a.namespace !== b.namespace);
        expect(groupOf(a, 'Workload')).not.toBe(groupOf(b, 'Workload'));
        expect(groupOf(a, 'Replica')).not.toBe(groupOf(b, 'Replica'));
      }),
    );
  });

  it('counts where the policy asks for it', () => {
    const pod = aPod('a', { controller: job });
    const listing = { limiter: 'rule|x', dueAt: 0 };
    expect(inLine(listing, pod, { groupBy: 'Workload' })).toEqual({ ...listing, group: 'Job/default/job-1' });
    expect(inLine(listing, aPod('b'), { groupBy: 'Workload' })).toEqual(listing);
    expect(inLine(listing, pod, {})).toEqual(listing);
    const worker = aPod('c', { labels: leaderWorkerSet('3') });
    expect(inLine(listing, worker, { groupBy: 'Workload' }).group).toBe('LeaderWorkerSet/default/serve');
    expect(inLine(listing, worker, { groupBy: 'Replica' }).group).toBe('LeaderWorkerSet/default/serve/3');
  });
});

const now = 1_800_000_000_000;
const reservation: Reservation = { limiter: 'rule|x', epoch: 1, slot: now + 500, reservedAt: now - 500 };

function member(
  state: Ledger['state'],
  more: Partial<Reservation> | 'none' = {},
): Pick<Ledger, 'state' | 'reservation'> {
  return more === 'none' ? { state } : { state, reservation: { ...reservation, ...more } };
}

describe('the slot that members share', () => {
  it.each<[string, readonly ReturnType<typeof member>[], number | undefined]>([
    ['nobody has one', [], undefined],
    ['one waits', [member('Pending', 'none')], undefined],
    ['one has a slot', [member('Pending', 'none'), member('Reserved')], now + 500],
    ['one is being deleted', [member('Deleting')], now + 500],
    ['one is gone already', [member('Evicted')], undefined],
    ['of another limiter', [member('Reserved', { limiter: 'rule|y' })], undefined],
    ['of an earlier version of the rule', [member('Reserved', { epoch: 0 })], undefined],
    [
      'the earlier of two',
      [member('Reserved', { slot: now + 900 }), member('Reserved', { slot: now + 100 })],
      now + 100,
    ],
    ['just not late', [member('Reserved', { slot: now - 1000, reservedAt: now - 2000 })], now - 1000],
    ['late', [member('Reserved', { slot: now - 1001, reservedAt: now - 2000 })], undefined],
    ['of a burst, given just now', [member('Reserved', { slot: now - 9000, reservedAt: now - 1000 })], now - 9000],
    ['of a burst, given too long ago', [member('Reserved', { slot: now - 9000, reservedAt: now - 1001 })], undefined],
  ])('%s', (_, members, slot) => {
    const shared = sharedSlot(members, { limiter: 'rule|x', epoch: 1, now, lateness: 1000 });
    expect(shared?.slot).toBe(slot);
  });

  it('is shared as it was given, but for its seat in a canary', () => {
    const members = [member('Reserved', { canarySeat: 2 })];
    const by = { limiter: 'rule|x', epoch: 1, now, lateness: 1000 };
    expect(sharedSlot(members, by)).toStrictEqual(reservation);
    expect(sharedSlot([member('Reserved', { pace: '2/1' })], by)).toStrictEqual({ ...reservation, pace: '2/1' });
  });

  it('is usable no longer by those who come later, however many come', () => {
    const times = fc.record({
      slot: fc.integer({ min: -3000, max: 3000 }),
      reservedAt: fc.integer({ min: -3000, max: 0 }),
    });
    fc.assert(
      fc.property(
        times,
        fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 20 }),
        ({ slot, reservedAt }, waits) => {
          const first = { ...reservation, slot: now + slot, reservedAt: now + reservedAt };
          let members = [member('Reserved', first)];
          let at = now;
          for (const wait of waits) {
            at += wait;
            const shared = sharedSlot(members, { limiter: 'rule|x', epoch: 1, now: at, lateness: 1000 });
            if (!shared) continue;
            expect(at).toBeLessThanOrEqual(Math.max(first.slot, first.reservedAt) + 1000);
            members = [...members, member('Reserved', shared)];
          }
        },
      ),
    );
  });
});
