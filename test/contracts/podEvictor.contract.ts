// What the six ports to one API server must do, in memory and on a real server; the steps rely on each of these.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PodRef } from '../../lib/model/identity.ts';
import type { ConsumerReference } from '../../lib/model/objects.ts';
import type { RuleCondition } from '../../lib/model/status.ts';
import type { ClusterAccess } from '../../lib/steps/step.ts';

/** The ports to one API server, and what a user does beside them. */
export interface PortsUnderTest {
  readonly access: ClusterAccess;
  /** A scheduled pod; with a grace period so long that it stays after a delete. */
  addPod(name: string): Promise<PodRef>;
  /** The pod's containers run and are ready. */
  runPod(pod: PodRef): Promise<void>;
  /** Removes the pod at once, as a kubelet that has finished does. */
  removePod(pod: PodRef): Promise<void>;
  /** The pod as it is now; `undefined` where there is none of that name. */
  findPod(pod: PodRef): Promise<
    | {
        readonly uid: string;
        readonly marked: boolean;
        readonly terminating: boolean;
        /** Of its deletion; absent before it. */
        readonly gracePeriodSeconds?: number;
      }
    | undefined
  >;
  addRule(name: string): Promise<{ readonly name: string; readonly uid: string }>;
  removeRule(name: string): Promise<void>;
  /** One slice of a pool of node-1, with one device. */
  addSlice(slice: {
    readonly name: string;
    readonly driver: string;
    readonly pool: string;
    readonly generation: number;
  }): Promise<void>;
  removeSlice(name: string): Promise<void>;
  /** Texts of the Events of that name. */
  findEvent(
    namespace: string,
    name: string,
  ): Promise<{ readonly message: string; readonly component: string } | undefined>;
  /** A disruption budget over some pods that allows so many of them to be disrupted. */
  addBudget(budget: {
    readonly name: string;
    readonly allowed: number;
    readonly pods: readonly PodRef[];
  }): Promise<void>;
  /** A claim in `default` with these reservations. */
  addClaim(name: string, reservedFor: readonly ConsumerReference[]): Promise<void>;
  /** An object in `default` that is not a pod. */
  addConsumer(name: string): Promise<ConsumerReference>;
  removeConsumer(consumer: ConsumerReference): Promise<void>;
  stop(): Promise<void>;
}

const at = Date.UTC(2026, 0, 2, 3, 4, 5);

function condition(overrides: Partial<RuleCondition> = {}): RuleCondition {
  return {
    type: 'EvictionInProgress',
    status: 'True',
    reason: 'PodsPendingEviction',
    message: '3 pods need to be evicted in 1 namespace.',
    observedGeneration: 1,
    lastTransitionTime: at,
    ...overrides,
  };
}

let names = 0;
/** Part of every name, because a cluster may outlive the run. */
const run = Date.now().toString(36);

export function podEvictorContract(name: string, start: () => Promise<PortsUnderTest>): void {
  let server: PortsUnderTest;
  const fresh = (what: string) => `${what}-${run}-${++names}`;
  describe(`ports to an API server: ${name}`, () => {
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.stop());

    describe('PodEvictor', () => {
      it('a pod is marked, then deleted, which leaves it terminating', async () => {
        const pod = await server.addPod(fresh('pod'));
        expect(await server.access.evictor.mark(pod, at)).toEqual({ kind: 'Marked', status: 200 });
        expect(await server.findPod(pod)).toMatchObject({ uid: pod.uid, marked: true, terminating: false });
        expect(await server.access.evictor.delete(pod)).toEqual({ kind: 'Evicted', status: 200 });
        expect(await server.findPod(pod)).toMatchObject({ uid: pod.uid, terminating: true });
      });

      it('a delete has a shorter grace period if asked to', async () => {
        const pod = await server.addPod(fresh('pod'));
        expect(await server.access.evictor.delete(pod, 7)).toEqual({ kind: 'Evicted', status: 200 });
        expect(await server.findPod(pod)).toMatchObject({ terminating: true, gracePeriodSeconds: 7 });
      });

      it('a terminating pod is Gone when it is marked, so that no second DELETE is sent', async () => {
        const pod = await server.addPod(fresh('pod'));
        await server.access.evictor.delete(pod);
        expect(await server.access.evictor.mark(pod, at)).toEqual({ kind: 'Gone', why: 'Terminating', status: 200 });
      });

      it('a pod that does not exist is Gone when it is marked or deleted', async () => {
        const pod = await server.addPod(fresh('pod'));
        await server.removePod(pod);
        const gone = { kind: 'Gone', why: 'NotFound', status: 404 };
        expect(await server.access.evictor.mark(pod, at)).toEqual(gone);
        expect(await server.access.evictor.delete(pod)).toEqual(gone);
      });

      it('a new pod of the same name is neither marked nor deleted', async () => {
        const first = await server.addPod(fresh('pod'));
        await server.removePod(first);
        const second = await server.addPod(first.name);
        const gone = { kind: 'Gone', why: 'Replaced', status: expect.toBeOneOf([409, 422]) };
        expect(await server.access.evictor.mark(first, at)).toEqual(gone);
        expect(await server.access.evictor.delete(first)).toEqual(gone);
        expect(await server.findPod(second)).toEqual({ uid: second.uid, marked: false, terminating: false });
      });
    });

    describe('a look at a pod', () => {
      it('a look at a pod finds it present, then terminating, then gone, and never marks it', async () => {
        const pod = await server.addPod(fresh('pod'));
        const { look } = server.access.evictor;
        expect(await look(pod)).toEqual({ kind: 'Present' });
        expect(await server.findPod(pod)).toEqual({ uid: pod.uid, marked: false, terminating: false });
        await server.access.evictor.delete(pod);
        expect(await look(pod)).toMatchObject({ kind: 'Gone', why: 'Terminating' });
        await server.removePod(pod);
        expect(await look(pod)).toMatchObject({ kind: 'Gone', why: 'NotFound' });
      });

      it('a look at a pod does not mistake a new pod of the same name for it', async () => {
        const first = await server.addPod(fresh('pod'));
        await server.removePod(first);
        const second = await server.addPod(first.name);
        expect(await server.access.evictor.look(first)).toMatchObject({ kind: 'Gone', why: 'Replaced' });
        expect(await server.access.evictor.look(second)).toEqual({ kind: 'Present' });
      });
    });

    describe('the Eviction API', () => {
      it('the Eviction API evicts a pod that no budget covers, and the pod terminates', async () => {
        const pod = await server.addPod(fresh('pod'));
        await server.runPod(pod);
        expect(await server.access.evictor.evict(pod)).toEqual({ kind: 'Evicted', status: 201 });
        expect(await server.findPod(pod)).toMatchObject({ uid: pod.uid, terminating: true });
      });

      it('the Eviction API uses a shorter grace period if asked to', async () => {
        const pod = await server.addPod(fresh('pod'));
        await server.runPod(pod);
        expect(await server.access.evictor.evict(pod, 7)).toEqual({ kind: 'Evicted', status: 201 });
        expect(await server.findPod(pod)).toMatchObject({ terminating: true, gracePeriodSeconds: 7 });
      });

      it('a budget that allows no disruption blocks the eviction, and the pod is kept', async () => {
        const pod = await server.addPod(fresh('pod'));
        await server.runPod(pod);
        await server.addBudget({ name: fresh('budget'), allowed: 0, pods: [pod] });
        expect(await server.access.evictor.evict(pod)).toMatchObject({ kind: 'Blocked' });
        expect(await server.findPod(pod)).toMatchObject({ uid: pod.uid, terminating: false });
      });

      it('a budget allows as many evictions as its status says, and blocks the next one', async () => {
        const pods = [];
        for (let i = 0; i < 3; i++) pods.push(await server.addPod(fresh('pod')));
        for (const pod of pods) await server.runPod(pod);
        await server.addBudget({ name: fresh('budget'), allowed: 2, pods });
        const answers = [];
        for (const pod of pods) answers.push((await server.access.evictor.evict(pod)).kind);
        expect(answers).toEqual(['Evicted', 'Evicted', 'Blocked']);
      });

      it('the Eviction API does not evict a new pod of the same name', async () => {
        const first = await server.addPod(fresh('pod'));
        await server.removePod(first);
        expect(await server.access.evictor.evict(first)).toMatchObject({ kind: 'Gone', why: 'NotFound' });
        const second = await server.addPod(first.name);
        expect(await server.access.evictor.evict(first)).toMatchObject({ kind: 'Gone', why: 'Replaced' });
        expect(await server.findPod(second)).toMatchObject({ uid: second.uid, terminating: false });
      });
    });

    describe('LiveCluster and RuleStatusWriter', () => {
      it('a rule is read with its UID, generation and taint', async () => {
        const rule = await server.addRule(fresh('rule'));
        const read = await server.access.live.read('DeviceTaintRule', rule.name);
        expect(read).toMatchObject({ kind: 'Found', conditions: [] });
        expect(read.kind === 'Found' && read.object).toMatchObject({
          kind: 'DeviceTaintRule',
          name: rule.name,
          uid: rule.uid,
          generation: 1,
          taint: { effect: 'NoExecute' },
        });
      });

      it('a rule that does not exist is not found', async () => {
        expect(await server.access.live.read('DeviceTaintRule', fresh('absent'))).toMatchObject({ kind: 'NotFound' });
      });

      it('conditions are read back as they were written, and replaced by type', async () => {
        const rule = await server.addRule(fresh('rule'));
        expect(await server.access.ruleStatus.apply(rule, [condition()])).toEqual({ kind: 'Written' });
        const done = condition({
          status: 'False',
          reason: 'Completed',
          message: '3 pods evicted.',
          lastTransitionTime: at + 60_000,
        });
        expect(await server.access.ruleStatus.apply(rule, [done])).toEqual({ kind: 'Written' });
        expect(await server.access.live.read('DeviceTaintRule', rule.name)).toMatchObject({
          kind: 'Found',
          conditions: [done],
        });
      });

      it('writing conditions changes neither generation nor taint', async () => {
        const rule = await server.addRule(fresh('rule'));
        await server.access.ruleStatus.apply(rule, [condition()]);
        const read = await server.access.live.read('DeviceTaintRule', rule.name);
        expect(read.kind === 'Found' && read.object).toMatchObject({ generation: 1, taint: { effect: 'NoExecute' } });
      });

      it('each part of a status keeps the conditions of the other, and removes its own that it does not repeat', async () => {
        const rule = await server.addRule(fresh('rule'));
        const plan = condition({ type: 'sluice.dev/Plan', reason: 'PodsWouldBeEvicted' });
        await server.access.ruleStatus.apply(rule, [condition()]);
        await server.access.ruleStatus.apply(rule, [plan], 'plan');
        await server.access.ruleStatus.apply(rule, [condition({ status: 'False' })]);
        const both = await server.access.live.read('DeviceTaintRule', rule.name);
        expect(both.kind === 'Found' && both.conditions.map(({ type, status }) => `${type} ${status}`).sort()).toEqual([
          'EvictionInProgress False',
          'sluice.dev/Plan True',
        ]);
        await server.access.ruleStatus.apply(rule, [], 'plan');
        const left = await server.access.live.read('DeviceTaintRule', rule.name);
        expect(left.kind === 'Found' && left.conditions.map(({ type }) => type)).toEqual(['EvictionInProgress']);
      });

      it('conditions are not written to a rule that was deleted, or recreated under its name', async () => {
        const rule = await server.addRule(fresh('rule'));
        await server.removeRule(rule.name);
        expect(await server.access.ruleStatus.apply(rule, [condition()])).toEqual({ kind: 'RuleGone' });
        await server.addRule(rule.name);
        expect(await server.access.ruleStatus.apply(rule, [condition()])).toEqual({ kind: 'RuleGone' });
        expect(await server.access.live.read('DeviceTaintRule', rule.name)).toMatchObject({
          kind: 'Found',
          conditions: [],
        });
      });
    });

    describe('LiveCluster', () => {
      it('a pod is read with its identity, and an absent one is NotFound with a resourceVersion', async () => {
        const pod = await server.addPod(fresh('pod'));
        const key = `${pod.namespace}/${pod.name}`;
        const found = await server.access.live.read('Pod', key);
        expect(found).toMatchObject({
          kind: 'Found',
          object: { kind: 'Pod', namespace: 'default', name: pod.name, uid: pod.uid },
        });
        await server.removePod(pod);
        const absent = await server.access.live.read('Pod', key);
        expect(absent).toEqual({ kind: 'NotFound', resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/) });
      });

      it('a pod that is being deleted is read with a deletionTimestamp', async () => {
        const pod = await server.addPod(fresh('pod'));
        await server.access.evictor.delete(pod);
        const read = await server.access.live.read('Pod', `${pod.namespace}/${pod.name}`);
        expect(read.kind === 'Found' && read.object.deletionTimestamp).toEqual(expect.any(Number));
      });

      it('the slices of a pool are those of all its generations, and of no other pool or driver', async () => {
        const [driver, pool] = [`${fresh('d')}.example.com`, fresh('pool')];
        const mine = [fresh('slice'), fresh('slice')];
        await server.addSlice({ name: mine[0] ?? '', driver, pool, generation: 1 });
        await server.addSlice({ name: mine[1] ?? '', driver, pool, generation: 2 });
        await server.addSlice({ name: fresh('slice'), driver, pool: fresh('pool'), generation: 1 });
        await server.addSlice({ name: fresh('slice'), driver: `${fresh('d')}.example.com`, pool, generation: 1 });
        const names = async () => {
          const listed = await server.access.live.slices({ driver, pool, nodeName: 'node-1' });
          return listed.kind === 'Listed' ? listed.objects.map(({ name }) => name).sort() : listed;
        };
        expect(await names()).toEqual(mine.toSorted());
        await server.removeSlice(mine[0] ?? '');
        expect(await names()).toEqual([mine[1]]);
      });

      it('the cluster has one incarnation, which does not change', async () => {
        const first = await server.access.live.incarnation();
        expect(first).toEqual({ kind: 'Found', incarnation: expect.stringMatching(/./) });
        expect(await server.access.live.incarnation()).toEqual(first);
      });
    });

    describe('DisruptionBudgets', () => {
      it('a budget is read with the disruptions it allows and the pods it selects', async () => {
        const [one, two, other] = [
          await server.addPod(fresh('pod')),
          await server.addPod(fresh('pod')),
          await server.addPod(fresh('pod')),
        ];
        const [wide, narrow] = [fresh('budget'), fresh('budget')];
        await server.addBudget({ name: wide, allowed: 2, pods: [one, two] });
        await server.addBudget({ name: narrow, allowed: 0, pods: [other] });
        const read = await server.access.budgets.read('default');
        const found = read.kind === 'Known' ? read.budgets.filter(({ name }) => [wide, narrow].includes(name)) : [];
        expect(found.map((budget) => ({ ...budget, pods: budget.pods.toSorted() }))).toEqual([
          { namespace: 'default', name: wide, allowed: 2, pods: [one.name, two.name].sort() },
          { namespace: 'default', name: narrow, allowed: 0, pods: [other.name] },
        ]);
      });

      it('budgets of another namespace are not read', async () => {
        expect(await server.access.budgets.read('elsewhere')).toEqual({ kind: 'Known', budgets: [] });
      });
    });

    describe('ClaimConsumers', () => {
      it('a consumer is found with its UID until it is deleted', async () => {
        const consumer = await server.addConsumer(fresh('consumer'));
        const { find } = server.access.consumers;
        expect(await find('default', consumer)).toEqual({ kind: 'Found', uid: consumer.uid });
        await server.removeConsumer(consumer);
        expect(await find('default', consumer)).toEqual({ kind: 'NotFound' });
      });

      it('reservedFor is written unless the claim has changed or is gone', async () => {
        const [one, two] = [await server.addConsumer(fresh('consumer')), await server.addConsumer(fresh('consumer'))];
        const claim = { namespace: 'default', name: fresh('claim') };
        await server.addClaim(claim.name, [one, two]);
        const { release } = server.access.consumers;
        const readClaim = () => server.access.live.read('ResourceClaim', `default/${claim.name}`);
        const read = await readClaim();
        expect(read).toMatchObject({ kind: 'Found', object: { reservedFor: [one, two] } });
        if (read.kind !== 'Found') throw new Error('the claim was not found');
        expect(await release(read.object, [two])).toEqual({ kind: 'Released' });
        expect(await readClaim()).toMatchObject({ kind: 'Found', object: { reservedFor: [two] } });
        expect(await release(read.object, [])).toEqual({ kind: 'Moved' });
        expect(await release({ ...read.object, name: fresh('gone') }, [])).toEqual({ kind: 'Moved' });
      });
    });

    describe('EventRecorder', () => {
      it('an Event is recorded once under its name, by component sluice', async () => {
        const pod = await server.addPod(fresh('pod'));
        const event = {
          name: fresh(`${pod.name}.evict`),
          regarding: pod,
          type: 'Normal',
          reason: 'DeviceTaintManagerEviction',
          message: 'Marking for deletion',
          at,
        } as const;
        await server.access.events.record(event);
        await server.access.events.record({ ...event, message: 'said again' });
        expect(await server.findEvent(pod.namespace, event.name)).toEqual({
          message: 'Marking for deletion',
          component: 'sluice',
        });
      });

      it('an Event about a rule is recorded in namespace default', async () => {
        const rule = await server.addRule(fresh('rule'));
        const event = {
          name: fresh('rule-event'),
          regarding: { kind: 'DeviceTaintRule', ...rule },
          type: 'Warning',
          reason: 'DeviceTaintRuleExpires',
          message: 'another controller acts on this rule',
          at,
        } as const;
        await server.access.events.record(event);
        expect(await server.findEvent('default', event.name)).toMatchObject({ message: event.message });
      });
    });
  });
}
