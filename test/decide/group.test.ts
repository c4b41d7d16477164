// Which pods are evicted together: those of one workload.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupOf, ownerOf } from '../../lib/decide/group.ts';
import { inLine } from '../../lib/decide/line.ts';
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
    ['no controller', {}, undefined],
    ['a Job', { controller: job }, 'Job/default/job-1'],
    ['a Job of an older API', { controller: { ...job, apiVersion: 'batch/v1beta1' } }, 'Job/default/job-1'],
    ['a Job of another API group', { controller: { ...job, apiVersion: 'batch.volcano.sh/v1alpha1' } }, undefined],
    ['a ReplicaSet', { controller: { ...job, apiVersion: 'apps/v1', kind: 'ReplicaSet' } }, undefined],
    ['a StatefulSet', { controller: { ...job, apiVersion: 'apps/v1', kind: 'StatefulSet' } }, undefined],
    ['a JobSet rather than its Job', { controller: job, labels: jobSet }, 'JobSet/default/train'],
    ['a JobSet without a name', { labels: { 'jobset.sigs.k8s.io/jobset-name': '' } }, undefined],
    ['a LeaderWorkerSet', { labels: leaderWorkerSet('3') }, 'LeaderWorkerSet/default/serve'],
    ['a LeaderWorkerSet without a group index', { labels: leaderWorkerSet() }, 'LeaderWorkerSet/default/serve'],
    ['a PodGroup', { podGroupName: 'gang' }, 'PodGroup/default/gang'],
    ['a PodGroup rather than its Job', { podGroupName: 'gang', controller: job }, 'PodGroup/default/gang'],
    ['a JobSet rather than its PodGroup', { podGroupName: 'gang', labels: jobSet }, 'JobSet/default/train'],
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
    ['an empty label of the coscheduling plugin', { labels: { 'scheduling.x-k8s.io/pod-group': '' } }, undefined],
    ['other labels', { labels: { app: 'x' } }, undefined],
  ])('the workload of a pod is known by its labels, PodGroup or controller: %s', (_, pod, group) => {
    expect(groupOf(aPod('a', pod), 'Workload')).toBe(group);
  });

  it.each<[string, Partial<Pod>, string | undefined]>([
    ['one group of a LeaderWorkerSet', { labels: leaderWorkerSet('3') }, 'LeaderWorkerSet/default/serve/3'],
    ['a LeaderWorkerSet without a group index', { labels: leaderWorkerSet() }, 'LeaderWorkerSet/default/serve/'],
    ['a whole JobSet', { labels: jobSet }, 'JobSet/default/train'],
    ['a Job', { controller: job }, 'Job/default/job-1'],
    ['no controller', {}, undefined],
  ])('the group of a pod with groupBy Replica is its LeaderWorkerSet group, else its workload: %s', (_, pod, group) => {
    expect(groupOf(aPod('a', pod), 'Replica')).toBe(group);
  });

  it.each<[string, Partial<Pod>, string | undefined]>([
    [
      'its JobSet, which replaces its Jobs when it restarts',
      { labels: jobSet, controller: job },
      'JobSet/default/train',
    ],
    ['its LeaderWorkerSet', { labels: leaderWorkerSet('3'), controller: job }, 'LeaderWorkerSet/default/serve'],
    ['its controller', { controller: job }, 'job-1'],
    ['no known owner when it has no controller', {}, undefined],
  ])('a deleted pod is recreated by %s', (_, pod, owner) => {
    expect(ownerOf(aPod('a', pod))).toBe(owner);
  });

  it('a workload never spans two namespaces, whatever the labels of its pods are', () => {
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

  it('a listing has a workload only when the policy sets groupBy', () => {
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
