// Definitions in a cluster compared with those of this release, and the executor's Deployment, from an API server with scripted answers.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { checkDefinition } from '../../lib/doctor/checkDefinitions.ts';
import { checkExecutor } from '../../lib/doctor/checkExecutor.ts';
import { compareDefinitions, readDefinition } from '../../lib/doctor/definitions.ts';
import { render } from '../../lib/doctor/finding.ts';
import { type Answer, type AnsweringServer, startAnsweringServer } from '../adapters/kubernetes/answeringServer.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds');
const files = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
const policies = files.find((text) => text.includes('name: evictionpolicies.sluice.dev')) ?? '';
const release = readDefinition(parse(policies));
const established = { storedVersions: ['v1alpha1'], conditions: [{ type: 'Established', status: 'True' }] };

let server: AnsweringServer;
beforeAll(async () => {
  server = await startAnsweringServer();
});
afterAll(() => server.close());

async function asked<T>(
  answers: readonly Answer[],
  ask: (client: ReturnType<typeof createApiClient>) => Promise<T>,
): Promise<T> {
  server.answer(...answers);
  const credentials = { get: async () => ({ kind: 'Available', credentials: { token: 'token' } }) as const };
  const address = { endpoint: server.endpoint, certificateAuthority: server.ca };
  const client = createApiClient(address, credentials as never);
  try {
    return await ask(client);
  } finally {
    client.close();
  }
}

/** The definition as the cluster has it, after `edit`. */
async function said(edit: (text: string) => string, status: object = established): Promise<string> {
  const body = { ...parse(edit(policies)), status };
  const finding = await asked([{ status: 200, body }], (client) => checkDefinition({ name: 'prod', client }, release));
  return render(finding);
}

describe('a definition in a cluster', () => {
  it.each(files.map((text) => readDefinition(parse(text))))('the definition $name is equal to itself', (definition) => {
    expect(definition.parts.size).toBeGreaterThan(4);
    expect(compareDefinitions(definition, definition)).toEqual({ lacks: [], adds: [], unknownVersions: [] });
  });

  it('a definition of this release is ok, with fields that the API server adds', async () => {
    const withDefaults = (text: string) =>
      text.replace('spec:\n  group:', 'spec:\n  conversion: {strategy: None}\n  group:');
    expect(await said(withDefaults)).toBe(
      'ok       definition evictionpolicies.sluice.dev of prod: as in this release, stored as v1alpha1',
    );
  });

  it('an older definition lacks fields, which the API server would drop silently', async () => {
    expect(await said((text) => text.replace('maxEvictionsPerSecond:', 'formerlyCalled:'))).toMatchSnapshot();
  });

  it('a newer definition has fields that this release does not read', async () => {
    const newer = (text: string) =>
      text.replace(/( +)evictionsPerSecond:\n/, '$1soon:\n$1  type: string\n$1evictionsPerSecond:\n');
    expect(await said(newer)).toMatchSnapshot();
  });

  it.each<[string, object]>([
    ['is not served', { storedVersions: ['v1alpha1'], conditions: [{ type: 'NamesAccepted', status: 'False' }] }],
    ['stores a version that this release does not know', { ...established, storedVersions: ['v1alpha1', 'v1'] }],
  ])('a definition that %s is a problem', async (_, status) => {
    expect(await said((text) => text, status)).toMatchSnapshot();
  });

  const absent = { status: 404, body: { reason: 'NotFound' } };
  it.each<[string, readonly Answer[]]>([
    ['is not installed', [absent, { status: 404, body: '404 page not found' }]],
    ['is missing while it is unknown whether its kind is served', [absent, { status: 503, body: {} }]],
    ['may not be read', [{ status: 403, body: { message: 'customresourcedefinitions is forbidden' } }]],
  ])('doctor says what to do about a definition that %s', async (_, answers) => {
    const finding = await asked(answers, (client) => checkDefinition({ name: 'prod', client }, release));
    expect(render(finding)).toMatchSnapshot();
  });
});

describe('an API server that serves a kind without a definition', () => {
  const resources = [{ name: 'evictionpolicies' }];
  const list = { kind: 'APIResourceList', groupVersion: 'sluice.dev/v1alpha1', resources };
  const notFound = { kind: 'Status', reason: 'NotFound', details: { name: release.name } };
  const send = (served: object) => async (request: { readonly path: string }) =>
    request.path === '/apis/sluice.dev/v1alpha1'
      ? { kind: 'Answer', ...served }
      : { kind: 'Answer', status: 404, body: notFound };

  it.each<[string, object, string]>([
    ['ok if it serves the kind', { status: 200, body: list }, 'ok'],
    ['a warning if it serves only the group', { status: 200, body: { ...list, resources: [] } }, 'warning'],
  ])('a missing definition is judged by what the API server serves: %s', async (_, served, mark) => {
    const finding = await checkDefinition({ name: 'prod', client: { send: send(served) } as never }, release);
    expect(render(finding).split(' ')[0]).toBe(mark);
  });
});

describe('an executor', () => {
  const deployment = (available: number, environment: Readonly<Record<string, string>>, replicas = 1) => ({
    metadata: { name: 'sluice-executor', namespace: 'sluice' },
    spec: {
      replicas,
      template: {
        spec: { containers: [{ env: Object.entries(environment).map(([name, value]) => ({ name, value })) }] },
      },
    },
    status: { availableReplicas: available },
  });
  const told = { SLUICE_CLUSTER: 'inside', SLUICE_EVICT_QUEUE_URL: 'https://sqs/1/Sluice-evict' };
  it.each<[string, Answer]>([
    ['runs', { status: 200, body: { items: [deployment(2, told, 2)] } }],
    ['does not exist', { status: 200, body: { items: [] } }],
    ['does not start', { status: 200, body: { items: [deployment(0, told)] } }],
    ['is scaled to zero', { status: 200, body: { items: [deployment(0, told, 0)] } }],
    ['has no cluster in its environment', { status: 200, body: { items: [deployment(1, {})] } }],
    ['may not be listed', { status: 403, body: { message: 'deployments.apps is forbidden' } }],
  ])('doctor reports on an executor that %s', async (_, answer) => {
    const findings = await asked([answer], (client) => checkExecutor({ name: 'prod', client }));
    expect(findings.map(render)).toMatchSnapshot();
  });

  it.each<[string, object]>([
    ['deployments are not served', { status: 404, body: {}, text: '404 page not found\n' }],
    ['the API server is not well', { status: 503, body: {}, text: 'no\nendpoints' }],
  ])('doctor reports on an executor when %s', async (_, answer) => {
    const client = { send: async () => ({ kind: 'Answer', ...answer }) } as never;
    expect((await checkExecutor({ name: 'prod', client })).map(render)).toMatchSnapshot();
  });
});
