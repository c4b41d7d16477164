// An int attribute of a device keeps its value from the API server's answer to the selector, also beyond what a double can hold.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../../lib/adapters/kubernetes/apiClient.ts';
import { listPage, watch } from '../../../lib/adapters/kubernetes/listWatch.ts';
import { project } from '../../../lib/adapters/kubernetes/project.ts';
import { parseChange } from '../../../lib/adapters/sqs/changes.ts';
import { formatMessage } from '../../../lib/adapters/sqs/wire.ts';
import { buildDevice } from '../../../lib/cel/device.ts';
import { compile } from '../../../lib/cel/selector.ts';
import { tokenOf } from '../../support/clusterUnderTest.ts';
import { type AnsweringServer, startAnsweringServer } from './answeringServer.ts';

const path = '/apis/resource.k8s.io/v1/resourceslices';
let server: AnsweringServer;
let client: ApiClient;
beforeAll(async () => {
  server = await startAnsweringServer();
  client = createApiClient({ endpoint: server.endpoint, certificateAuthority: server.ca }, tokenOf('token'));
});
afterAll(async () => {
  client.close();
  await server.close();
});

/** As the API server writes it: ints are numbers. */
const slice = (attribute: string) =>
  `{"metadata":{"name":"s","uid":"u","resourceVersion":"7"},"spec":{"driver":"d","pool":{"name":"p","generation":9007199254740993,
  "resourceSliceCount":1},"devices":[{"name":"gpu","attributes":{"n":${attribute}}}]}}`.replace(/\n */g, '');

async function listed(attribute: string): Promise<unknown> {
  server.answer({ status: 200, body: `{"metadata":{"resourceVersion":"9"},"items":[${slice(attribute)}]}` });
  const page = await listPage(client, path);
  if (page.kind !== 'Page') throw new Error(page.kind);
  return page.items[0];
}

async function watched(attribute: string): Promise<unknown> {
  let shown: unknown;
  server.answer({ status: 200, body: `{"type":"ADDED","object":${slice(attribute)}}\n` });
  await watch(client, {
    path,
    resourceVersion: '5',
    seconds: 300,
    signal: new AbortController().signal,
    onOpen: () => {},
    onEvent: (event) => {
      shown = event.type === 'BOOKMARK' ? undefined : event.object;
      return undefined;
    },
  });
  return shown;
}

/** Evaluates a selector on the device after its slice has passed through the queue. */
function decides(item: unknown, expression: string): unknown {
  const projected = project('ResourceSlice', item);
  if (projected.kind !== 'Projected') throw new Error(projected.why);
  const sent = formatMessage({ type: 'Upserted', incarnation: 'i', object: projected.object });
  const parsed = parseChange(sent);
  if (parsed.kind === 'Poison') throw new Error(parsed.why);
  const { object } = parsed.value as { object: { driver: string; devices: readonly object[] } };
  const selector = compile(expression);
  if (selector.kind !== 'Compiled') throw new Error('the selector is refused');
  return selector.matches(buildDevice({ driver: object.driver, ...object.devices[0] }));
}

describe.each([
  ['a list', listed],
  ['a watch', watched],
])('an int attribute in %s', (_, read) => {
  it.each([
    ['the largest int64', '{"int":9223372036854775807}', '9223372036854775807', '9223372036854775806'],
    ['the smallest int64', '{"int":-9223372036854775808}', '-9223372036854775808', '-9223372036854775807'],
    ['the first that a double cannot hold', '{"int":9007199254740993}', '9007199254740993', '9007199254740992'],
    ['one that a double can hold', '{"int":12}', '12', '13'],
  ])('an int attribute is compared exactly: %s', async (__, attribute, same, other) => {
    const item = await read(attribute);
    expect(decides(item, `device.attributes["d"].n == ${same}`)).toBe(true);
    expect(decides(item, `device.attributes["d"].n == ${other}`)).toBe(false);
  });

  it('a list of ints keeps an int that a double cannot hold, beside one that it can', async () => {
    const projected = project('ResourceSlice', await read('{"ints":[3,9007199254740993]}'));
    expect(projected).toMatchObject({
      object: { devices: [{ attributes: { n: { ints: [3, '9007199254740993'] } } }] },
    });
  });

  it('other numbers of the object stay numbers', async () => {
    const projected = project('ResourceSlice', await read('{"int":9007199254740993}'));
    expect(projected).toMatchObject({ object: { pool: { generation: expect.any(Number) } } });
  });
});
