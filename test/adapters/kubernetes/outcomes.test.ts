// Every answer of an API server has a named outcome that says what happened, to which object, and what to do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import type { CredentialsSource } from '../../../lib/adapters/kubernetes/credentials.ts';
import { createEventRecorder } from '../../../lib/adapters/kubernetes/eventRecorder.ts';
import { createPodEvictor } from '../../../lib/adapters/kubernetes/podEvictor.ts';
import { createRuleStatus } from '../../../lib/adapters/kubernetes/rules.ts';
import { tokenOf } from '../../support/clusterUnderTest.ts';
import { type Answer, type AnsweringServer, resourceList, startAnsweringServer, status } from './answeringServer.ts';

const pod = { namespace: 'ml', name: 'trainer-0', uid: 'uid-1' };
const rule = { name: 'broken-gpu', uid: 'uid-2' };
const named = { name: pod.name, kind: 'pods' };
const otherUid = {
  ...named,
  causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid', message: 'field is immutable' }],
};
const precondition =
  'Operation cannot be fulfilled on Pod "trainer-0": the UID in the precondition (uid-1) does not match the UID in record (uid-9).';
const html: Answer = {
  status: 503,
  body: '<html>Service Unavailable</html>',
  headers: { 'content-type': 'text/html' },
};
const shortTimeout = 200;

let server: AnsweringServer;
let client: ApiClient;
beforeAll(async () => {
  server = await startAnsweringServer();
  client = withTimeout(clientOf(tokenOf('token')));
});
afterAll(async () => {
  client.close();
  await server.close();
});

function clientOf(credentials: CredentialsSource, address: { endpoint?: string; ca?: string } = {}): ApiClient {
  const { endpoint = server.endpoint, ca = server.ca } = address;
  return createApiClient({ endpoint, certificateAuthority: ca }, credentials);
}

/** Waits for an answer a fraction of the time that production waits. */
function withTimeout(inner: ApiClient): ApiClient {
  return { ...inner, send: (request) => inner.send({ ...request, timeout: shortTimeout }) };
}

type Row = readonly [what: string, answer: Answer, outcome: object, says: readonly RegExp[]];

const everywhere: readonly Row[] = [
  ['400', status(400, 'BadRequest', 'bad'), { kind: 'Refused' }, [/400 bad/, /supported/]],
  ['401 after one renewal', status(401, 'Unauthorized', 'Unauthorized'), { kind: 'RetryLater' }, [/credentials/]],
  [
    '403',
    status(403, 'Forbidden', 'cannot patch resource "pods/status"', named),
    { kind: 'Refused' },
    [/pods\/status/, /the roles of the chart/],
  ],
  [
    '404 of the API or a proxy',
    status(404, 'NotFound', 'the server could not find the requested resource'),
    { kind: 'RetryLater' },
    [/endpoint/],
  ],
  [
    '404 that is no Status',
    { status: 404, body: '404 page not found\n' },
    { kind: 'RetryLater' },
    [/not a Kubernetes answer: 404 page/],
  ],
  [
    '409 of two writers',
    status(409, 'Conflict', 'the object has been modified', named),
    { kind: 'RetryLater' },
    [/at the same time/],
  ],
  ['410', status(410, 'Expired', 'too old resource version'), { kind: 'RetryLater' }, [/expired/]],
  [
    '422 about something else',
    status(422, 'Invalid', 'status is invalid', named),
    { kind: 'Refused' },
    [/422 status is invalid/],
  ],
  [
    '429 with Retry-After',
    { status: 429, body: {}, headers: { 'retry-after': '7' } },
    { kind: 'RetryLater', after: 7000 },
    [/asks to wait/],
  ],
  [
    '429 with retryAfterSeconds',
    status(429, 'TooManyRequests', 'slow', { retryAfterSeconds: 3 }),
    { kind: 'RetryLater', after: 3000 },
    [/slow/],
  ],
  [
    '429 with a date in Retry-After',
    { status: 429, body: {}, headers: { 'retry-after': 'Fri, 20 Nov 2026 00:00:00 GMT' } },
    { kind: 'RetryLater', after: 1000 },
    [],
  ],
  [
    '500',
    status(500, 'InternalError', 'etcd is gone'),
    { kind: 'RetryLater', after: 1000 },
    [/etcd is gone/, /not well/],
  ],
  ['503 from a load balancer', html, { kind: 'RetryLater' }, [/not a Kubernetes answer/, /not well/]],
  ['504', status(504, 'Timeout', 'request did not complete'), { kind: 'RetryLater' }, [/504/]],
  ['302 that is not JSON', { status: 302, body: 'moved' }, { kind: 'RetryLater' }, [/302/]],
  ['no answer in time', 'silence', { kind: 'RetryLater' }, [/no answer within 200 ms/, /network path/]],
  ['a connection that breaks', 'reset', { kind: 'RetryLater' }, [/no answer from https/, /network path/]],
];

/** For rules, a 404 without a name means that the API is not served; see below. */
const aboutRules = everywhere.filter(([what]) => !what.startsWith('404'));

const ofPods: readonly Row[] = [
  [
    '404 of this pod',
    status(404, 'NotFound', 'pods "trainer-0" not found', named),
    { kind: 'Gone', why: 'NotFound' },
    [],
  ],
  [
    '404 of another object',
    status(404, 'NotFound', 'namespaces "ml" not found', { name: 'ml' }),
    { kind: 'RetryLater' },
    [/ml/],
  ],
  ['409 with another UID', status(409, 'Conflict', precondition, named), { kind: 'Gone', why: 'Replaced' }, []],
  [
    '409 as older releases write it',
    status(409, 'Conflict', 'Precondition failed: UID in precondition: uid-1, UID in object meta: uid-9', named),
    { kind: 'Gone', why: 'Replaced' },
    [],
  ],
  [
    '422 about the UID',
    status(422, 'Invalid', 'metadata.uid: field is immutable', otherUid),
    { kind: 'Gone', why: 'Replaced' },
    [],
  ],
];

const ofRules: readonly Row[] = [
  ['404 of this rule', status(404, 'NotFound', 'not found', { name: rule.name }), { kind: 'RuleGone' }, []],
  ['422 about the UID', status(422, 'Invalid', 'metadata.uid', otherUid), { kind: 'RuleGone' }, []],
  [
    '422 about a ninth condition',
    status(422, 'Invalid', 'status.conditions: Too many: 9: must have at most 8 items', {
      name: rule.name,
      kind: 'DeviceTaintRule',
      causes: [{ reason: 'FieldValueTooMany', field: 'status.conditions', message: 'Too many' }],
    }),
    { kind: 'Full' },
    [/must have at most 8 items/],
  ],
  [
    '409 about the UID',
    status(409, 'Conflict', 'uid mismatch: the provided object specified uid a, and no existing object was found', {}),
    { kind: 'RuleGone' },
    [],
  ],
];

function expectOutcome(outcome: object, expected: object, says: readonly RegExp[]): void {
  expect(outcome).toMatchObject(expected);
  for (const text of says) expect((outcome as { why?: string }).why).toMatch(text);
}

describe('the condition and the DELETE of a pod', () => {
  it.each([...everywhere, ...ofPods])(
    'every answer to the condition or the DELETE of a pod has its outcome: %s',
    async (_, answer, outcome, says) => {
      const evictor = createPodEvictor(client, () => 0);
      server.answer(answer);
      const marked = await evictor.mark(pod, 0);
      expectOutcome(marked, outcome, says);
      if ('why' in marked && marked.kind !== 'Gone') expect(marked.why).toContain('pod ml/trainer-0 (uid-1)');
      server.answer(answer);
      expectOutcome(await evictor.delete(pod), outcome, says);
    },
  );

  it('a 200 with a deletionTimestamp means that the pod is already terminating', async () => {
    const evictor = createPodEvictor(client, () => 0);
    server.answer({ status: 200, body: { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } } });
    expect(await evictor.mark(pod, 0)).toEqual({ kind: 'Gone', why: 'Terminating', status: 200 });
  });

  it.each([200, 202])('a DELETE answered with %i is an eviction', async (code) => {
    server.answer({ status: code, body: {} });
    expect(await createPodEvictor(client, () => 0).delete(pod)).toEqual({ kind: 'Evicted', status: code });
  });

  it('the condition and the DELETE carry the UID, and the DELETE nothing else', async () => {
    server.answer({ status: 200, body: {} });
    const evictor = createPodEvictor(client, () => Date.UTC(2026, 0, 2, 3, 4, 5, 678));
    await evictor.mark(pod, Date.UTC(2026, 0, 2, 3, 3, 3, 900));
    await evictor.delete(pod);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByDeviceTaintManager',
      message: 'Device Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: '2026-01-02T03:04:05Z',
    };
    const since = { type: 'sluice.dev/EvictionDue', status: 'True', lastTransitionTime: '2026-01-02T03:03:03Z' };
    expect(server.asked).toMatchObject([
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/ml/pods/trainer-0/status?fieldManager=sluice',
        headers: { 'content-type': 'application/strategic-merge-patch+json', authorization: 'Bearer token' },
        body: { metadata: { uid: 'uid-1' }, status: { conditions: [condition, since] } },
      },
      { method: 'DELETE', path: '/api/v1/namespaces/ml/pods/trainer-0' },
    ]);
    expect(server.asked[1]?.body).toEqual({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'uid-1' } });
  });

  it('a DELETE whose answer is lost is not sent twice by the client', async () => {
    const evictor = createPodEvictor(client, () => 0);
    server.answer({ status: 200, body: {} }, 'reset');
    await evictor.mark(pod, 0);
    expect(await evictor.delete(pod)).toMatchObject({ kind: 'RetryLater' });
    expect(server.asked.filter((one) => one.method === 'DELETE')).toHaveLength(1);
  });
});

const served = resourceList('resource.k8s.io/v1', 'devicetaintrules');
const servedAsBeta = resourceList('resource.k8s.io/v1beta2', 'devicetaintrules');
const notServed = status(404, 'NotFound', 'the server could not find the requested resource');

describe('the conditions of a rule', () => {
  it.each([...aboutRules, ...ofRules])(
    'every answer to the conditions of a rule has its outcome: %s',
    async (_, answer, outcome, says) => {
      const ruleStatus = createRuleStatus(client);
      server.answer(served, answer);
      expectOutcome(await ruleStatus.apply(rule, []), outcome, says);
    },
  );

  it('conditions are applied in the served version, with the UID and by force', async () => {
    const ruleStatus = createRuleStatus(client);
    server.answer(notServed, servedAsBeta, { status: 200, body: {} });
    expect(await ruleStatus.apply(rule, [])).toEqual({ kind: 'Written' });
    expect(server.asked.map((one) => one.path)).toEqual([
      '/apis/resource.k8s.io/v1',
      '/apis/resource.k8s.io/v1beta2',
      '/apis/resource.k8s.io/v1beta2/devicetaintrules/broken-gpu/status?fieldManager=sluice&force=true',
    ]);
    expect(server.asked[2]?.headers['content-type']).toBe('application/apply-patch+yaml');
    expect(server.asked[2]?.body).toMatchObject({ apiVersion: 'resource.k8s.io/v1beta2', metadata: rule });
  });

  it('a condition is written with the fields of metav1.Condition alone, because the API server refuses any other', async () => {
    const condition = { type: 'a', status: 'True', reason: 'B', message: 'c', observedGeneration: 1 } as const;
    const more = { ...condition, lastTransitionTime: 0, until: 5 };
    const written = { ...condition, lastTransitionTime: '1970-01-01T00:00:00Z' };
    server.answer(served, { status: 200, body: {} });
    await createRuleStatus(client).apply(rule, [more]);
    expect(server.asked.at(-1)?.body).toMatchObject({ status: { conditions: [written] } });
    expect(JSON.stringify(server.asked.at(-1)?.body)).not.toContain('until');
  });

  it('the served version is discovered once, and again after it is no longer served', async () => {
    const ruleStatus = createRuleStatus(client);
    const ok: Answer = { status: 200, body: {} };
    server.answer(served, ok, ok, notServed, notServed, servedAsBeta, ok);
    await ruleStatus.apply(rule, []);
    await ruleStatus.apply(rule, []);
    expect(server.asked).toHaveLength(3);
    expect(await ruleStatus.apply(rule, [])).toEqual({ kind: 'Written' });
    expect(server.asked.at(-1)?.path).toContain('/v1beta2/');
  });

  it('conditions of a kind that is not served are not written', async () => {
    const ruleStatus = createRuleStatus(client);
    server.answer(notServed);
    expect(await ruleStatus.apply(rule, [])).toEqual({ kind: 'RuleGone' });
  });
});

describe('credentials', () => {
  it('credentials are renewed once after a 401, and the request is sent again', async () => {
    const asked: boolean[] = [];
    const renewing = clientOf({
      async get(renew) {
        asked.push(renew);
        return { kind: 'Found', credentials: { token: renew ? 'new' : 'old' } };
      },
    });
    server.answer(status(401, 'Unauthorized', 'Unauthorized'), { status: 200, body: {} });
    expect(await createPodEvictor(renewing, () => 0).delete(pod)).toEqual({ kind: 'Evicted', status: 200 });
    expect(asked).toEqual([false, true]);
    expect(server.asked.map((one) => one.headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    renewing.close();
  });

  it('a DELETE without credentials is retried later, and nothing is sent', async () => {
    const without = clientOf({ get: async () => ({ kind: 'Unavailable', why: 'no key is configured' }) });
    server.answer({ status: 200, body: {} });
    const outcome = await createPodEvictor(without, () => 0).delete(pod);
    expect(outcome).toMatchObject({ kind: 'RetryLater', why: expect.stringContaining('no key is configured') });
    expect(server.asked).toEqual([]);
  });
});

describe('an API server that cannot be reached', () => {
  it('the outcome says so if the API server refuses the connection', async () => {
    const closed = await startAnsweringServer();
    await closed.close();
    const outcome = await createPodEvictor(clientOf(tokenOf('t'), closed), () => 0).delete(pod);
    expectOutcome(outcome, { kind: 'RetryLater' }, [/ECONNREFUSED/, /nothing listens there/]);
  });

  it('the outcome says so if the configured CA did not sign the certificate', async () => {
    const other = await startAnsweringServer();
    const stranger = clientOf(tokenOf('t'), { endpoint: server.endpoint, ca: other.ca });
    await other.close();
    expectOutcome(await createPodEvictor(stranger, () => 0).delete(pod), { kind: 'RetryLater' }, [
      /certificate authority/,
    ]);
  });

  it('the outcome says so if the name of the API server cannot be resolved', async () => {
    const nowhere = clientOf(tokenOf('t'), { endpoint: 'https://api-server.invalid' });
    expectOutcome(await createPodEvictor(nowhere, () => 0).delete(pod), { kind: 'RetryLater' }, [/DNS/]);
  });
});

describe('Events', () => {
  const event = {
    name: 'trainer-0.1',
    regarding: pod,
    type: 'Normal',
    reason: 'PolicyGone',
    message: 'm',
    at: 0,
  } as const;

  it.each([
    ['201', { status: 201, body: {} } as Answer, 0],
    ['409, it is there already', status(409, 'AlreadyExists', 'exists'), 0],
    ['403', status(403, 'Forbidden', 'cannot create events'), 1],
    ['404, the namespace is gone', status(404, 'NotFound', 'namespaces "ml" not found', { name: 'ml' }), 1],
    ['500', status(500, 'InternalError', 'no'), 1],
    ['silence', 'silence' as Answer, 1],
  ])('the answer to an Event never fails the step, and a lost Event is logged: %s', async (_, answer, warnings) => {
    const logged: string[] = [];
    const log = { info: () => {}, warn: (message: string) => void logged.push(message), error: () => {} };
    server.answer(answer);
    await createEventRecorder(client, log).record(event);
    expect(logged).toHaveLength(warnings);
    expect(server.asked).toHaveLength(1);
  });
});
