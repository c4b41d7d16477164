// The real adapter for any API server, and a client that acts as the user; for contract suites.
import { systemClock } from '../../lib/adapters/clock.ts';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import type { CredentialsSource } from '../../lib/adapters/kubernetes/credentials.ts';
import { accessThrough } from '../../lib/lambda/access.ts';
import {
  deviceTaintRule,
  pod as podManifest,
  resourceClaim,
  resourceClaimTemplate,
  resourceSlice,
} from '../../lib/local/cluster/builders.ts';
import { createApiClient as createUser } from '../../lib/local/cluster/client.ts';
import { at, textAt } from '../../lib/local/cluster/object.ts';
import type { PodRef } from '../../lib/model/identity.ts';
import type { Log } from '../../lib/ports.ts';
import type { PortsUnderTest } from '../contracts/podEvictor.contract.ts';

export const quiet: Log = { info: () => {}, warn: () => {}, error: () => {} };

export function tokenOf(token: string): CredentialsSource {
  return { get: async () => ({ kind: 'Found', credentials: { token } }) };
}

export interface ServerAddress {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

export function portsUnderTest(server: ServerAddress, stop: () => Promise<void>): PortsUnderTest {
  const client = createApiClient({ endpoint: server.url, certificateAuthority: server.ca }, tokenOf(server.token));
  const user = createUser({ url: server.url, ca: server.ca, token: server.token });
  const pods = '/api/v1/namespaces/default/pods';
  const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
  const templates = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates';
  const rules = '/apis/resource.k8s.io/v1/devicetaintrules';
  const slices = '/apis/resource.k8s.io/v1/resourceslices';
  const create = async (path: string, body: object) => {
    const answer = await user.call('POST', path, { body });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return textAt(answer.body, 'metadata', 'uid') ?? '';
  };
  const pathOf = (pod: PodRef) => `${pods}/${pod.name}`;
  return {
    access: accessThrough(client, { clock: systemClock, log: quiet }),
    async addPod(name) {
      const manifest = podManifest({ name, namespace: 'default', node: 'node-1', graceSeconds: 3600 });
      const metadata = { name, namespace: 'default', labels: { 'test/name': name } };
      return { namespace: 'default', name, uid: await create(pods, { ...manifest, metadata }) };
    },
    async addBudget({ name, allowed, pods: selected }) {
      const path = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
      const values = selected.map((pod) => pod.name);
      const spec = { minAvailable: 0, selector: { matchExpressions: [{ key: 'test/name', operator: 'In', values }] } };
      await create(path, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec });
      const counts = { currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 };
      const status = { disruptionsAllowed: allowed, observedGeneration: 1, ...counts };
      const answer = await user.call('PATCH', `${path}/${name}/status`, {
        body: { status },
        contentType: 'application/merge-patch+json',
      });
      if (answer.status !== 200) throw new Error(`${path}/${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    },
    async runPod(pod) {
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      const answer = await user.call('PATCH', `${pathOf(pod)}/status`, {
        body: { status },
        contentType: 'application/merge-patch+json',
      });
      if (answer.status !== 200) throw new Error(`${pod.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    },
    async removePod(pod) {
      await user.call('DELETE', pathOf(pod), { body: { gracePeriodSeconds: 0 } });
    },
    async addClaim(name, reservedFor) {
      await create(claims, resourceClaim({ name, namespace: 'default', deviceClass: 'gpu' }));
      const answer = await user.call('PATCH', `${claims}/${name}/status`, {
        body: { status: { reservedFor } },
        contentType: 'application/merge-patch+json',
      });
      if (answer.status !== 200) throw new Error(`${claims}/${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    },
    async addConsumer(name) {
      const uid = await create(templates, resourceClaimTemplate({ name, namespace: 'default', deviceClass: 'gpu' }));
      return { apiGroup: 'resource.k8s.io', resource: 'resourceclaimtemplates', name, uid };
    },
    async removeConsumer({ name }) {
      await user.call('DELETE', `${templates}/${name}`);
    },
    async findPod(pod) {
      const { status, body } = await user.call('GET', pathOf(pod));
      if (status === 404) return undefined;
      const conditions = (at(body, 'status', 'conditions') as readonly { type?: string }[] | undefined) ?? [];
      const grace = at(body, 'metadata', 'deletionGracePeriodSeconds');
      return {
        uid: textAt(body, 'metadata', 'uid') ?? '',
        marked: conditions.some((one) => one.type === 'DisruptionTarget'),
        terminating: textAt(body, 'metadata', 'deletionTimestamp') !== undefined,
        ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
      };
    },
    async addRule(name) {
      const taint = { key: 'example.com/bad', effect: 'NoExecute' };
      return { name, uid: await create(rules, deviceTaintRule({ name, taint })) };
    },
    async removeRule(name) {
      await user.call('DELETE', `${rules}/${name}`);
    },
    async addSlice({ name, driver, pool, generation }) {
      await create(slices, resourceSlice({ name, driver, node: 'node-1', pool, generation, devices: [{ name: 'd' }] }));
    },
    async removeSlice(name) {
      await user.call('DELETE', `${slices}/${name}`);
    },
    async findEvent(namespace, name) {
      const { status, body } = await user.call('GET', `/api/v1/namespaces/${namespace}/events/${name}`);
      if (status === 404) return undefined;
      return { message: textAt(body, 'message') ?? '', component: textAt(body, 'source', 'component') ?? '' };
    },
    async stop() {
      user.close();
      client.close();
      await stop();
    },
  };
}
