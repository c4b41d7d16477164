// Contract: which resources are served, and which callers are refused.
import { describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../lib/local/cluster/client.ts';
import { isMap, type JsonMap, listAt, mapAt } from '../../lib/local/cluster/object.ts';
import { type CurrentServer, done, failure, pods } from './apiServerUnderTest.ts';

const selfReviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const selfReview = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };

async function reviewed(client: ApiClient): Promise<JsonMap> {
  const review = done(await client.call('POST', selfReviews, { body: selfReview }), 201);
  expect(review).toMatchObject(selfReview);
  return review;
}

export function discoveryContract(server: CurrentServer): void {
  const get = async (path: string) => done(await server().client.call('GET', path));
  const resource = (list: JsonMap, name: string) =>
    listAt(list, 'resources').find((each) => isMap(each) && each.name === name);

  describe('discovery', () => {
    it('discovery names v1 as the preferred version of resource.k8s.io and serves v1beta2 too', async () => {
      const group = await get('/apis/resource.k8s.io');
      expect(group).toMatchObject({ kind: 'APIGroup', name: 'resource.k8s.io' });
      expect(group.preferredVersion).toEqual({ groupVersion: 'resource.k8s.io/v1', version: 'v1' });
      expect(listAt(group, 'versions')).toContainEqual({ groupVersion: 'resource.k8s.io/v1beta2', version: 'v1beta2' });
      expect(listAt(await get('/apis'), 'groups')).toContainEqual(expect.objectContaining({ name: 'resource.k8s.io' }));
    });

    it('discovery lists DeviceTaintRules and their status subresource', async () => {
      const list = await get('/apis/resource.k8s.io/v1');
      expect(list).toMatchObject({ kind: 'APIResourceList', groupVersion: 'resource.k8s.io/v1' });
      expect(resource(list, 'devicetaintrules')).toMatchObject({
        singularName: 'devicetaintrule',
        namespaced: false,
        kind: 'DeviceTaintRule',
        verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      });
      expect(resource(list, 'devicetaintrules/status')).toEqual({
        name: 'devicetaintrules/status',
        singularName: '',
        namespaced: false,
        kind: 'DeviceTaintRule',
        verbs: ['get', 'patch', 'update'],
      });
    });

    it('discovery lists pods with their status and eviction subresources', async () => {
      const list = await get('/api/v1');
      expect(resource(list, 'pods')).toMatchObject({ namespaced: true, kind: 'Pod', shortNames: ['po'] });
      expect(resource(list, 'pods/status')).toMatchObject({ verbs: ['get', 'patch', 'update'] });
      expect(resource(list, 'pods/eviction')).toMatchObject({ group: 'policy', version: 'v1', kind: 'Eviction' });
    });

    it('the API server answers /readyz and /version', async () => {
      expect(await get('/readyz')).toEqual({ text: 'ok' });
      expect(await get('/version')).toMatchObject({ major: '1', minor: '37', gitVersion: 'v1.37.1' });
    });

    it('a group that is not served is answered with 404 without a Status', async () => {
      const answer = await server().client.call('GET', '/apis/nowhere.example.com/v1');
      expect(answer).toMatchObject({ status: 404, body: { text: '404 page not found\n' } });
    });

    it('a resource that is not served is answered with 404 and a Status', async () => {
      const answer = await server().client.call('GET', '/api/v1/gadgets');
      const message = 'the server could not find the requested resource';
      expect(answer).toMatchObject({
        status: 404,
        body: failure({ code: 404, reason: 'NotFound', message, details: {} }),
      });
    });

    it('a method that a path does not have is answered with 405', async () => {
      const answer = await server().client.call('PUT', pods, { body: {} });
      const message = 'the server does not allow this method on the requested resource';
      expect(answer.body).toEqual(failure({ code: 405, reason: 'MethodNotAllowed', message, details: {} }));
    });
  });

  describe('access', () => {
    it('a wrong token is refused with 401', async () => {
      const stranger = createApiClient({ ...server(), token: 'wrong' });
      const answer = await stranger.call('GET', pods);
      stranger.close();
      expect(answer.body).toEqual(failure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' }));
    });

    it('a SelfSubjectReview names the user of the token', async () => {
      const { username, groups } = mapAt(await reviewed(server().client), 'status', 'userInfo') ?? {};
      expect(username).toMatch(/^\S+$/);
      expect(groups).toContain('system:authenticated');
    });

    it('a SelfSubjectReview of an anonymous caller is refused with 403', async () => {
      const { url, ca } = server();
      const anonymous = createApiClient({ url, ca });
      const { status, body } = await anonymous.call('POST', selfReviews, { body: selfReview });
      anonymous.close();
      expect(status).toBe(403);
      expect(body.message).toBe(
        'selfsubjectreviews.authentication.k8s.io is forbidden: User "system:anonymous" cannot create resource ' +
          '"selfsubjectreviews" in API group "authentication.k8s.io" at the cluster scope',
      );
    });

    it('an anonymous caller is refused with 403', async () => {
      const { url, ca } = server();
      const anonymous = createApiClient({ url, ca });
      const listing = await anonymous.call('GET', '/api/v1/pods');
      const deleting = await anonymous.call('DELETE', `${pods}/some-pod`);
      anonymous.close();
      const user = 'User "system:anonymous" cannot';
      expect(listing.body).toEqual(
        failure({
          code: 403,
          reason: 'Forbidden',
          message: `pods is forbidden: ${user} list resource "pods" in API group "" at the cluster scope`,
          details: { kind: 'pods' },
        }),
      );
      expect(deleting.body).toEqual(
        failure({
          code: 403,
          reason: 'Forbidden',
          message: `pods "some-pod" is forbidden: ${user} delete resource "pods" in API group "" in the namespace "contract"`,
          details: { name: 'some-pod', kind: 'pods' },
        }),
      );
    });
  });
}
