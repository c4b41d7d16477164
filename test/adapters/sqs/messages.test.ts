// Messages are read as they were written; any other content of a queue is poison, with a reason.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChange } from '../../../lib/adapters/sqs/changes.ts';
import { parseEvaluateMessage, parseEvictMessage, parseReportMessage } from '../../../lib/adapters/sqs/messages.ts';
import { formatMessage } from '../../../lib/adapters/sqs/wire.ts';

const text = fc.string({ maxLength: 20, unit: 'binary' });
const name = fc.string({ minLength: 1, maxLength: 20 });
const version = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
const instant = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
const meta = { name, uid: name, resourceVersion: version };
const optional = { requiredKeys: [] as never[] };
const taint = fc.record(
  { key: text, value: text, effect: text, timeAdded: instant },
  { requiredKeys: ['key', 'effect'] },
);
const toleration = fc.record(
  { key: text, operator: text, value: text, effect: text, tolerationSeconds: fc.maxSafeInteger() },
  optional,
);
const reference = fc.record(
  { name, resourceClaimName: name, resourceClaimTemplateName: name },
  { requiredKeys: ['name'] },
);
const consumer = fc.record(
  { apiGroup: text, resource: text, name, uid: name },
  { requiredKeys: ['resource', 'name', 'uid'] },
);
const device = fc.record(
  {
    request: text,
    driver: text,
    pool: text,
    device: text,
    adminAccess: fc.boolean(),
    shareID: text,
    tolerations: fc.array(toleration),
  },
  { requiredKeys: ['request', 'driver', 'pool', 'device'] },
);
const pod = fc.record(
  {
    kind: fc.constant('Pod'),
    namespace: name,
    ...meta,
    deletionTimestamp: instant,
    nodeName: text,
    priority: fc.integer(),
    resourceClaims: fc.array(reference),
    resourceClaimStatuses: fc.array(fc.record({ name, resourceClaimName: name }, { requiredKeys: ['name'] })),
    extendedResourceClaimName: name,
  },
  { requiredKeys: ['kind', 'namespace', 'name', 'uid', 'resourceVersion', 'resourceClaims', 'resourceClaimStatuses'] },
);
const claim = fc.record(
  {
    kind: fc.constant('ResourceClaim'),
    namespace: name,
    ...meta,
    reservedFor: fc.array(consumer),
    allocation: fc.record(
      { devices: fc.array(device), reservedForAnyPod: fc.boolean() },
      { requiredKeys: ['devices'] },
    ),
    // An API server refuses `__proto__` as a name: names begin with a letter or a digit.
    annotations: fc.dictionary(
      name.filter((key) => key !== '__proto__'),
      text,
      { noNullPrototype: true },
    ),
  },
  { requiredKeys: ['kind', 'namespace', 'name', 'uid', 'resourceVersion', 'reservedFor'] },
);
const slice = fc.record({
  kind: fc.constant('ResourceSlice'),
  ...meta,
  driver: name,
  pool: fc.record({ name, generation: fc.integer() }),
  devices: fc.array(fc.record({ name, taints: fc.array(taint) }, { requiredKeys: ['name'] })),
});
const rule = fc.record(
  {
    kind: fc.constant('DeviceTaintRule'),
    ...meta,
    generation: fc.integer(),
    deviceSelector: fc.record({ driver: text, pool: text, device: text }, optional),
    taint,
  },
  { requiredKeys: ['kind', 'name', 'uid', 'resourceVersion', 'generation', 'taint'] },
);
const object = fc.oneof(pod, claim, slice, rule);
const incarnation = fc.constantFrom('0a4ac5cb-5e8f-4f6f-9cd5-0f2bb2b3ad4a', 'uid.restored-2');
const relisted = fc.record({
  incarnation,
  type: fc.constant('Manifest'),
  kind: fc.constantFrom('Pod', 'ResourceClaim', 'ResourceSlice', 'DeviceTaintRule'),
  from: fc.integer({ min: 0, max: 255 }),
  to: fc.integer({ min: 0, max: 255 }),
  resourceVersion: fc.nat().map(String),
  entries: fc.array(fc.record({ key: text, uid: name, resourceVersion: fc.nat().map(String) })),
});

const change = fc.oneof(
  fc.record({ type: fc.constantFrom('Upserted', 'Deleted'), incarnation, object }),
  relisted,
  fc.record({
    type: fc.constant('Heartbeat'),
    incarnation,
    at: instant,
    clockOffset: fc.integer(),
    watched: fc.record({ Pod: fc.constant('v1'), DeviceTaintRule: fc.constant('v1beta2') }, optional),
  }),
);

describe('a message as it was written', () => {
  const returns = (parse: (body: string) => unknown) => (message: object) => {
    expect(parse(formatMessage(message))).toEqual({ kind: 'Parsed', value: message });
  };

  it('every change is read as it was written', () => {
    fc.assert(fc.property(change, returns(parseChange)));
  });

  it.each([
    [
      'evaluate',
      parseEvaluateMessage,
      { cluster: 'c@uid-1', pods: ['ns/a'], chunk: { cause: 'r', epoch: 'u/1', id: '3.0' } },
    ],
    ['evaluate without a fan-out', parseEvaluateMessage, { cluster: 'c@uid-1', pods: [] }],
    ['evict', parseEvictMessage, { cluster: 'c@uid-1', limiter: 'slice|d|k|v|NoExecute', hops: 3 }],
    ['rows that are due', parseEvictMessage, { cluster: 'c@uid-1', rows: [{ pk: 'c@uid-1#INTENT#3', sk: 'u' }] }],
    ['report', parseReportMessage, { cluster: 'c@uid-1', rule: 'r' }],
    [
      'Event',
      parseReportMessage,
      {
        cluster: 'c@uid-1',
        event: {
          name: 'e',
          regarding: { namespace: 'n', name: 'a', uid: 'u' },
          type: 'Normal',
          reason: 'R',
          message: '',
          at: 0,
        },
      },
    ],
  ])('a message is read as it was written: %s', (_, parse, message) => returns(parse)(message));

  it('characters that SQS would refuse are escaped', () => {
    expect(formatMessage({ text: '\uFFFE\uFFFF\u0000' })).toBe('{"version":1,"text":"\\ufffe\\uffff\\u0000"}');
  });
});

const valid = {
  version: 1,
  type: 'Upserted',
  incarnation: 'uid-1',
  object: {
    kind: 'ResourceSlice',
    name: 's',
    uid: 'u',
    resourceVersion: '5',
    driver: 'd',
    pool: { name: 'p', generation: 1 },
    devices: [],
  },
};

describe('a message that does not fit', () => {
  it.each([
    ['nothing', '', /not a JSON object/],
    ['text', 'hello', /not a JSON object/],
    ['a list', '[]', /not a JSON object/],
    ['null', 'null', /not a JSON object/],
    ['no version', JSON.stringify({ ...valid, version: undefined }), /version undefined is not 1/],
    ['a newer version', JSON.stringify({ ...valid, version: 2 }), /version 2 is not 1: upgrade the functions/],
    ['no incarnation', JSON.stringify({ ...valid, incarnation: undefined }), /incarnation/],
    ['an incarnation that is no UID', JSON.stringify({ ...valid, incarnation: 'a@b' }), /UID/],
    ['an unknown type', JSON.stringify({ ...valid, type: 'Exploded' }), /type/],
    ['an unknown kind', JSON.stringify({ ...valid, object: { ...valid.object, kind: 'Node' } }), /kind/],
    ['a missing member', JSON.stringify({ ...valid, object: { ...valid.object, uid: undefined } }), /uid/],
    ['an empty UID', JSON.stringify({ ...valid, object: { ...valid.object, uid: '' } }), /uid/],
    [
      'a version that is no number',
      JSON.stringify({ ...valid, object: { ...valid.object, resourceVersion: 'abc' } }),
      /decimal/,
    ],
    ['a member of another type', JSON.stringify({ ...valid, object: { ...valid.object, devices: 'all' } }), /devices/],
  ])('a message to ingest that does not fit is poison: %s', (_, body, why) => {
    const parsed = parseChange(body);
    expect(parsed).toMatchObject({ kind: 'Poison', why: expect.stringMatching(why) });
  });

  it.each([
    [
      'more pods than a chunk holds',
      parseEvaluateMessage,
      { cluster: 'c@uid-1', pods: Array.from({ length: 101 }, (_, i) => `n/${i}`) },
    ],
    [
      'an intent without a UID',
      parseEvictMessage,
      { cluster: 'c@uid-1', intents: [{ pod: { namespace: 'n', name: 'a' }, openedAt: 1 }] },
    ],
    [
      'an intent of a time that is no number',
      parseEvictMessage,
      { cluster: 'c@uid-1', intents: [{ pod: { namespace: 'n', name: 'a', uid: 'u' }, openedAt: 'now' }] },
    ],
    ['neither limiter nor intents', parseEvictMessage, { cluster: 'c@uid-1' }],
    ['no cluster', parseReportMessage, { rule: 'r' }],
    ['a cluster without an incarnation', parseReportMessage, { cluster: 'c', rule: 'r' }],
    [
      'an Event about nothing',
      parseReportMessage,
      { cluster: 'c@uid-1', event: { name: 'e', type: 'Normal', reason: 'R', message: 'm', at: 0 } },
    ],
  ])('a message to a later stage that does not fit is poison: %s', (_, parse, message) => {
    expect(parse(formatMessage(message)).kind).toBe('Poison');
  });

  it('unknown members of a message are dropped', () => {
    const parsed = parseChange(
      JSON.stringify({ ...valid, cluster: 'another-owners', object: { ...valid.object, extra: 1 } }),
    );
    const { version: _, ...expected } = valid;
    expect(parsed).toEqual({ kind: 'Parsed', value: expected });
  });

  it('no message body makes a parser throw', () => {
    const parsers = [parseChange, parseEvaluateMessage, parseEvictMessage, parseReportMessage];
    const hostile = fc.oneof(
      fc.string(),
      fc.json(),
      fc.jsonValue().map((value) => formatMessage({ type: 'Upserted', object: value, pods: value, tasks: value })),
    );
    fc.assert(
      fc.property(hostile, (body) => parsers.every((parse) => ['Parsed', 'Poison'].includes(parse(body).kind))),
    );
  });
});
