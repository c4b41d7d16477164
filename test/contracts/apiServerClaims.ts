// Contract: which changes of a claim the API server accepts, and how the claim is freed when its pods are gone.
import { describe, expect, it } from 'vitest';
import { allocatedStatus, ownedBy } from '../../lib/local/cluster/allocation.ts';
import { pod, resourceClaim } from '../../lib/local/cluster/builders.ts';
import { claimFinalizer } from '../../lib/local/cluster/claimController.ts';
import { at, type JsonMap, listAt, mapAt, textAt } from '../../lib/local/cluster/object.ts';
import { startFakeKubelet } from '../../lib/local/fakeKubelet.ts';
import { waitFor } from '../cluster/support/waitFor.ts';
import {
  type CurrentServer,
  claims,
  created,
  done,
  merge,
  nameOf,
  namespace,
  pods,
  strategic,
  uidOf,
  uniqueName,
} from './apiServerUnderTest.ts';

const device = { driver: 'gpu.example.com', pool: 'node-a', device: 'gpu-0', node: 'node-a' };

export function claimContract(server: CurrentServer): void {
  const patch = (path: string, body: JsonMap, contentType = merge) =>
    server().client.call('PATCH', path, { body, contentType });
  const newClaim = (metadata: JsonMap = {}) => {
    const manifest = resourceClaim({ name: uniqueName('claim'), namespace, deviceClass: 'gpu.example.com' });
    return created(server().client, claims, { ...manifest, metadata: { ...mapAt(manifest, 'metadata'), ...metadata } });
  };
  const newPod = (claim: string) =>
    created(server().client, pods, pod({ name: uniqueName('pod'), namespace, node: 'node-a', claim }));
  const consumer = (of: JsonMap) => ({ name: nameOf(of), uid: uidOf(of) });
  const read = async (of: JsonMap) => {
    const answer = await server().client.call('GET', `${claims}/${nameOf(of)}`);
    return answer.status === 404 ? undefined : done(answer);
  };
  const end = (of: JsonMap) =>
    server().client.call('DELETE', `${pods}/${nameOf(of)}`, { body: { gracePeriodSeconds: 0 } });

  describe('a claim', () => {
    it('the spec of a claim is immutable, and its allocation cannot be changed once set', async () => {
      const claim = await newClaim();
      const path = `${claims}/${nameOf(claim)}`;
      const spec = await patch(path, { spec: { devices: { requests: [] } } });
      expect(listAt(spec.body, 'details', 'causes')).toContainEqual({
        reason: 'FieldValueInvalid',
        message: 'Invalid value: null: field is immutable',
        field: 'spec',
      });
      const { allocation } = allocatedStatus(device, []);
      done(await patch(`${path}/status`, { status: { allocation } }));
      const other = allocatedStatus({ ...device, device: 'gpu-1' }, []);
      const moved = await patch(`${path}/status`, { status: { allocation: other.allocation } });
      expect(listAt(moved.body, 'details', 'causes')).toContainEqual({
        reason: 'FieldValueInvalid',
        message: 'Invalid value: null: field cannot be modified once set',
        field: 'status.allocation',
      });
    });

    it('a write of the status of a claim changes neither labels nor finalizers', async () => {
      const claim = await newClaim();
      const body = {
        metadata: { labels: { a: 'b' }, finalizers: ['example.com/x'] },
        status: allocatedStatus(device, []),
      };
      const next = done(await patch(`${claims}/${nameOf(claim)}/status`, body));
      expect(mapAt(next, 'metadata')).not.toHaveProperty('labels');
      expect(mapAt(next, 'metadata')).not.toHaveProperty('finalizers');
      expect(textAt(listAt(next, 'status', 'allocation', 'devices', 'results')[0], 'device')).toBe('gpu-0');
    });
  });

  describe('the resourceclaim controller', () => {
    it('the resourceclaim controller removes a deleted pod from reservedFor, and deallocates the claim after the last one', async () => {
      const claim = await newClaim({ finalizers: [claimFinalizer] });
      const [one, two] = [await newPod(nameOf(claim)), await newPod(nameOf(claim))];
      const status = allocatedStatus(device, [consumer(one), consumer(two)]);
      done(await patch(`${claims}/${nameOf(claim)}/status`, { status }));
      done(await end(one));
      const left = await waitFor(async () => {
        const reservedFor = listAt(await read(claim), 'status', 'reservedFor');
        return reservedFor.length === 1 ? reservedFor : undefined;
      });
      expect(left).toEqual([{ resource: 'pods', name: nameOf(two), uid: uidOf(two) }]);
      expect(at(await read(claim), 'status', 'allocation')).toBeDefined();
      done(await end(two));
      const freed = await waitFor(async () => {
        const now = await read(claim);
        return at(now, 'status', 'allocation') || at(now, 'metadata', 'finalizers') ? undefined : now;
      });
      expect(freed).toMatchObject({ status: {} });
      expect(freed.status).toEqual({});
    });

    it('the resourceclaim controller deletes a generated claim after its pod is gone', async () => {
      const name = uniqueName('pod');
      const manifest = pod({ name, namespace, node: 'node-a', template: 'some-template' });
      const one = await created(server().client, pods, manifest);
      const claim = await newClaim({
        ownerReferences: ownedBy(consumer(one)),
        annotations: { 'resource.kubernetes.io/pod-claim-name': 'device' },
        finalizers: [claimFinalizer],
      });
      const claimStatuses = { resourceClaimStatuses: [{ name: 'device', resourceClaimName: nameOf(claim) }] };
      done(await patch(`${pods}/${name}/status`, { status: claimStatuses }, strategic));
      done(await patch(`${claims}/${nameOf(claim)}/status`, { status: allocatedStatus(device, [consumer(one)]) }));
      done(await end(one));
      await waitFor(async () => ((await read(claim)) === undefined ? true : undefined));
      expect(await read(claim)).toBeUndefined();
    });
  });

  describe('the fake kubelet', () => {
    it('the fake kubelet runs a scheduled pod, and removes a deleted one', async () => {
      const kubelet = startFakeKubelet(server());
      const name = uniqueName('pod');
      await created(server().client, pods, pod({ name, namespace, node: 'node-a' }));
      const get = () => server().client.call('GET', `${pods}/${name}`);
      const runs = await waitFor(async () => {
        const { body } = await get();
        return textAt(body, 'status', 'phase') === 'Running' ? body : undefined;
      });
      expect(listAt(runs, 'status', 'conditions')).toContainEqual(
        expect.objectContaining({ type: 'Ready', status: 'True' }),
      );
      done(await server().client.call('DELETE', `${pods}/${name}`));
      const gone = await waitFor(async () => ((await get()).status === 404 ? true : undefined));
      await kubelet.stop();
      expect(gone).toBe(true);
    });

    it('the fake kubelet ignores unscheduled pods, and keeps the finalizers of a terminated pod', async () => {
      const kubelet = startFakeKubelet(server());
      const [waiting, held] = [uniqueName('pod'), uniqueName('pod')];
      await created(server().client, pods, pod({ name: waiting, namespace }));
      await created(
        server().client,
        pods,
        pod({ name: held, namespace, node: 'node-a', finalizers: ['example.com/hold'] }),
      );
      done(await server().client.call('DELETE', `${pods}/${held}`));
      const last = await waitFor(async () => {
        const { body } = await server().client.call('GET', `${pods}/${held}`);
        return at(body, 'metadata', 'deletionGracePeriodSeconds') === 0 ? body : undefined;
      });
      await kubelet.stop();
      const { body } = await server().client.call('GET', `${pods}/${waiting}`);
      expect(textAt(body, 'status', 'phase')).toBe('Pending');
      expect(at(last, 'metadata', 'finalizers')).toEqual(['example.com/hold']);
      done(await patch(`${pods}/${held}`, { metadata: { finalizers: null } }));
    });
  });
}
