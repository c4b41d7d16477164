// Findings about a cluster, from an API server with scripted answers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { checkCluster } from '../../lib/doctor/checkCluster.ts';
import { render } from '../../lib/doctor/finding.ts';
import {
  type Answer,
  type AnsweringServer,
  resourceList,
  startAnsweringServer,
} from '../adapters/kubernetes/answeringServer.ts';

const version = { status: 200, body: { major: '1', minor: '37', gitVersion: 'v1.37.1' } };
const pods = resourceList('v1', 'pods');
const dra = resourceList('resource.k8s.io/v1', 'resourceclaims', 'resourceslices', 'devicetaintrules');
const review = (allowed: boolean): Answer => ({ status: 201, body: { status: { allowed } } });
const none: Answer = { status: 200, body: { items: [] } };
const roles = [[{ apiGroups: [''], resources: ['pods'], verbs: ['delete'] }]];

const clock = { now: () => 0, sleep: async () => {} };

let server: AnsweringServer;
beforeAll(async () => {
  server = await startAnsweringServer();
});
afterAll(() => server.close());

async function examine(endpoint: string, ...answers: Answer[]): Promise<readonly string[]> {
  server.answer(...answers);
  const address = { endpoint, certificateAuthority: server.ca };
  const credentials = { get: async () => ({ kind: 'Available', credentials: { token: 'token' } }) as const };
  const client = createApiClient(address, credentials as never);
  try {
    const findings = await checkCluster({
      name: 'prod',
      endpoint: 'https://prod',
      client,
      roles,
      definitions: [],
      clock,
      probes: false,
    });
    return findings.map(render);
  } finally {
    client.close();
  }
}

describe('a cluster', () => {
  it('a cluster that meets all requirements has only Ok findings', async () => {
    const said = await examine(server.endpoint, version, pods, dra, dra, dra, review(true), dra, none, none, none);
    expect(said.filter((one) => !one.startsWith('ok'))).toEqual([]);
    expect(said).toHaveLength(8);
  });

  it.each<[string, Answer, RegExp]>([
    [
      'an answer to unknown credentials',
      { status: 401, body: {} },
      /PROBLEM {2}API server of prod: 401 .*\n.*access entry/,
    ],
    [
      'a server that is not an API server',
      { status: 404, body: 'nothing here' },
      /PROBLEM .*\n.*is a Kubernetes API server/,
    ],
    [
      'a version that is too old',
      { status: 200, body: { minor: '31', gitVersion: 'v1.31.2' } },
      /v1\.31\.2 is too old: device taints need v1\.34\n.*upgrade/,
    ],
    ['a version that cannot be read', { status: 200, body: {} }, /cannot be read\n/],
  ])('%s is reported as the only finding', async (_, answer, says) => {
    const said = await examine(server.endpoint, answer);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(says);
  });

  it('a cluster that cannot be reached is reported with what to check', async () => {
    const said = await examine('https://127.0.0.1:1', version);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(
      /PROBLEM {2}API server of prod: .*ECONNREFUSED.*\n.*check that https:\/\/prod is the endpoint/,
    );
  });

  it('a verb that is not granted is reported with where to grant it', async () => {
    const said = await examine(server.endpoint, version, pods, dra, dra, dra, review(false), dra, none, none, none);
    expect(said.filter((one) => !one.startsWith('ok'))).toEqual([
      'PROBLEM  RBAC of prod: delete pods is not granted\n         -> bind the roles of the chart to this user or group',
    ]);
  });
});
