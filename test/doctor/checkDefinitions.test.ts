// Definitions in a cluster against those of this release, and the executor's Deployment, from an API server that answers as told.
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
  it.each(files.map((text) => readDefinition(parse(text))))('of $name is like itself', (definition) => {
    expect(definition.parts.size).toBeGreaterThan(4);
    expect(compareDefinitions(definition, definition)).toEqual({ lacks: [], adds: [], unknownVersions: [] });
  });

  it('that is as in this release is fine, whatever the API server adds by itself', async () => {
    const withDefaults = (text: string) =>
      text.replace('spec:\n  group:', 'spec:\n  conversion: {strategy: None}\n  group:');
    expect(await said(withDefaults)).toBe(
      'ok       definition evictionpolicies.sluice.dev of prod: as in this release, stored as v1alpha1',
    );
  });

  it('that is older lacks fields, which the API server would drop without a word', async () => {
    expect(await said((text) => text.replace('maxEvictionsPerSecond:', 'formerlyCalled:'))).toMatchSnapshot();
  });

  it('that is newer has fields that this release does not read', async () => {
    const newer = (text: string) =>
      text.replace(/( +)evictionsPerSecond:\n/, '$1soon:\n$1  type: string\n$1evictionsPerSecond:\n');
    expect(await said(newer)).toMatchSnapshot();
  });

  it.each<[string, object]>([
    ['is not served', { storedVersions: ['v1alpha1'], conditions: [{ type: 'NamesAccepted', status: 'False' }] }],
    ['stores a version that this release does not know', { ...established, storedVersions: ['v1alpha1', 'v1'] }],
  ])('that %s is a problem', async (_, status) => {
    expect(await said((text) => text, status)).toMatchSnapshot();
  });

  const absent = { status: 404, body: { reason: 'NotFound' } };
  it.each<[string, readonly Answer[]]>([
    ['is not installed', [absent, { status: 404, body: '404 page not found' }]],
    ['is not there, while it is unknown whether its kind is served,', [absent, { status: 503, body: {} }]],
    ['may not be read', [{ status: 403, body: { message: 'customresourcedefinitions is forbidden' } }]],
  ])('that %s is named with what to do', async (_, answers) => {
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
    ['is no reason to warn', { status: 200, body: list }, 'ok'],
    ['but another kind of the group is', { status: 200, body: { ...list, resources: [] } }, 'warning'],
  ])('doctor compares what an API server serves with the definition: %s', async (_, served, mark) => {
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
    ['is not there', { status: 200, body: { items: [] } }],
    ['does not start', { status: 200, body: { items: [deployment(0, told)] } }],
    ['is switched off', { status: 200, body: { items: [deployment(0, told, 0)] } }],
    ['is not told its cluster', { status: 200, body: { items: [deployment(1, {})] } }],
    ['cannot be looked for', { status: 403, body: { message: 'deployments.apps is forbidden' } }],
  ])('doctor accepts an executor that %s', async (_, answer) => {
    const findings = await asked([answer], (client) => checkExecutor({ name: 'prod', client }));
    expect(findings.map(render)).toMatchSnapshot();
  });

  it.each<[string, object]>([
    ['no deployments are served', { status: 404, body: {}, text: '404 page not found\n' }],
    ['the API server is not well', { status: 503, body: {}, text: 'no\nendpoints' }],
  ])('doctor reports an executor where %s', async (_, answer) => {
    const client = { send: async () => ({ kind: 'Answer', ...answer }) } as never;
    expect((await checkExecutor({ name: 'prod', client })).map(render)).toMatchSnapshot();
  });
});
