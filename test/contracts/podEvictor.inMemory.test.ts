// The in-memory API server keeps the contract of the ports.
import type { PodRef } from '../../lib/model/identity.ts';
import { createFakeApiServer } from '../support/fakes/apiServer.ts';
import { aRule } from '../support/objects.ts';
import { podEvictorContract } from './podEvictor.contract.ts';

const keyOf = (pod: PodRef) => `${pod.namespace}/${pod.name}`;

podEvictorContract('in memory', async () => {
  const server = createFakeApiServer(() => 0);
  let uids = 0;
  return {
    access: server,
    async addPod(name) {
      const pod = { namespace: 'default', name, uid: `pod-uid-${++uids}` };
      server.pods.set(keyOf(pod), { uid: pod.uid, marked: false, terminating: false });
      return pod;
    },
    runPod: async () => {},
    async removePod(pod) {
      server.pods.delete(keyOf(pod));
    },
    findPod: async (pod) => server.pods.get(keyOf(pod)),
    async addRule(name) {
      const rule = aRule(name, 0, { uid: `rule-uid-${++uids}` });
      server.rules.set(name, { rule, conditions: [] });
      return { name, uid: rule.uid };
    },
    async removeRule(name) {
      server.rules.delete(name);
    },
    async addSlice({ name, driver, pool, generation }) {
      const meta = { name, uid: `slice-uid-${++uids}`, resourceVersion: '1' };
      server.live.put({
        kind: 'ResourceSlice',
        ...meta,
        driver,
        pool: { name: pool, generation },
        devices: [{ name: 'd' }],
      });
    },
    async removeSlice(name) {
      server.live.drop('ResourceSlice', name);
    },
    async findEvent(_, name) {
      const found = server.recorded.get(name);
      return found && { message: found.message, component: 'sluice' };
    },
    async addBudget({ name, allowed, pods }) {
      server.disruptionBudgets.push({ namespace: 'default', name, allowed, pods: pods.map((pod) => pod.name) });
    },
    async addClaim(name, reservedFor) {
      const meta = { namespace: 'default', name, uid: `claim-uid-${++uids}`, resourceVersion: '1' };
      server.live.put({ kind: 'ResourceClaim', ...meta, reservedFor });
    },
    async addConsumer(name) {
      const consumer = { apiGroup: 'batch', resource: 'jobs', name, uid: `job-uid-${++uids}` };
      server.consumerStates.set(`default/jobs/${name}`, { kind: 'Found', uid: consumer.uid });
      return consumer;
    },
    async removeConsumer({ resource, name }) {
      server.consumerStates.delete(`default/${resource}/${name}`);
    },
    stop: async () => {},
  };
});
