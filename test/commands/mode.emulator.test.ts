// `sluice mode` on an emulated table and queue: what it stores, sends and prints.
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import { readModes, storeModePlan, writeModes } from '../../lib/state/modeRows.ts';
import { differenceWrite } from '../../lib/state/shadowRows.ts';
import { type EmulatedQueues, startQueues } from '../support/emulators.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { startTableScene, type TableScene } from './support/tableScene.ts';

const at = Date.UTC(2026, 0, 1, 12);
let scene: TableScene;
let queues: EmulatedQueues;
beforeAll(async () => {
  queues = await startQueues(['ingest']);
  scene = await startTableScene(() => ({ AWS_ENDPOINT_URL_SQS: queues.endpoint }));
});
afterAll(async () => {
  await queues?.stop();
  await scene?.stop();
});

const target = ['--cluster', 'prod', '--table', 'table'];
const mode = async (...words: string[]) => {
  const { status, out, err } = await scene.sluice('mode', ...words);
  return { status, said: `${out}${err}`.trim() };
};
const state = () => scene.state;

describe('mode', () => {
  it('mode set stores the switched mode and notifies the ingest queue', async () => {
    expect(await mode('set', 'paced', 'off', '--queue', queues.url('ingest'), ...target)).toEqual({
      status: 0,
      said: ['prod native: effective mode: own; no override', 'prod paced: effective mode: off; override: off'].join(
        '\n',
      ),
    });
    expect((await readModes(state())).modes).toEqual({
      applied: { native: 'own', paced: 'off' },
      switched: { paced: 'off' },
      isOwed: true,
    });
    const { Messages = [] } = await queues.client.send(new ReceiveMessageCommand({ QueueUrl: queues.url('ingest') }));
    expect(Messages.map(({ Body = '' }) => parseChange(Body))).toEqual([
      { kind: 'Parsed', value: { type: 'Switched', incarnation: liveIncarnation } },
    ]);
  });

  it('mode show prints one object for each source of taints with -o json, and their names with -o name', async () => {
    const { said } = await mode('show', ...target, '-o', 'json');
    expect(JSON.parse(said)).toMatchObject({
      kind: 'List',
      items: [
        { kind: 'Mode', cluster: 'prod', source: 'native', effective: 'own' },
        { kind: 'Mode', cluster: 'prod', source: 'paced' },
      ],
    });
    expect((await mode('show', ...target, '-o', 'name')).said).toBe('prod/native\nprod/paced');
  });

  it('mode show prints the plan of a source before it evicts again', async () => {
    const modes = { applied: { ...allOwned, paced: 'off' }, switched: {}, rising: { paced: at } } as const;
    await writeModes(state(), await readModes(state()), modes);
    await storeModePlan(state(), 'paced', {
      at,
      pods: 1,
      namespaces: 1,
      origins: [{ origin: 'PacedTaintRule r', pods: 1 }],
    });
    expect((await mode('show', ...target)).said.split('\n')[1]).toBe(
      'prod paced: effective mode: off; no override; evictions resume within a minute after 2026-01-01T12:00:00.000Z: 1 pod in 1 namespace: PacedTaintRule r 1',
    );
  });

  it('mode differences lists the differences of one day', async () => {
    const pod = { namespace: 'team', name: 'a', uid: 'u' };
    await state().table.write(differenceWrite(state(), { kind: 'NotDeleted', pod, foundAt: at, at, because: [] }));
    const { status, said } = await mode('differences', '--day', '2026-01-01', ...target);
    expect(status).toBe(0);
    expect(said.split('\n').map((line) => JSON.parse(line))).toEqual([
      { kind: 'NotDeleted', pod, foundAt: at, at, because: [] },
    ]);
    expect((await mode('differences', '--day', '2026-01-02', ...target)).said).toBe('');
  });

  it.each([
    ['an unknown source', ['set', 'all', 'off', ...target], 2, /Allowed choices are native, paced/],
    ['an unknown mode', ['set', 'paced', 'on', ...target], 2, /Allowed choices are own, shadow, off/],
    ['a day that does not exist', ['differences', '--day', '2026-02-31', ...target], 2, /--day is "2026-02-31"/],
    ['a day that is not a date', ['differences', '--day', 'yesterday', ...target], 2, /write it as YYYY-MM-DD/],
    ['a queue that is not a URL', ['set', 'native', 'off', '--queue', 'BAD', ...target], 2, /nothing was switched/],
    [
      'a queue that does not exist',
      ['set', 'native', 'own', '--queue', 'http://127.0.0.1/000000000000/none', ...target],
      1,
      /mode of native in cluster prod is set to own, but the message to queue \S+none failed: .*\nit takes effect with the next heartbeat/,
    ],
    ['a missing --cluster', ['set', 'paced', 'off', '--table', 'table'], 2, /no cluster is given/],
    [
      'a cluster that does not exist',
      ['set', 'paced', 'off', '--table', 'table', '--cluster', 'prdo'],
      1,
      /has no data of a cluster prdo/,
    ],
    [
      'a table that does not exist',
      ['set', 'paced', 'off', '--cluster', 'prod', '--table', 'another'],
      1,
      /there is no table another/,
    ],
  ])('mode fails with an explanation for %s', async (_, words, status, says) => {
    expect(await mode(...words)).toMatchObject({ status, said: expect.stringMatching(says) });
  });
});
