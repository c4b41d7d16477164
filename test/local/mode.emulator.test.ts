// `npm run mode` on an emulated table and queue: what it stores, whom it tells, what it shows.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbTable } from '../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { parseChange } from '../../lib/adapters/sqs/messages.ts';
import { allOwned } from '../../lib/model/ownership.ts';
import { readModes, storeModePlan, writeModes } from '../../lib/state/modeRows.ts';
import { differenceWrite } from '../../lib/state/shadowRows.ts';
import { type EmulatedQueues, type EmulatedTable, startQueues, startTable } from '../support/emulators.ts';

const root = path.join(import.meta.dirname, '..', '..');
const at = Date.UTC(2026, 0, 1, 12);
const target = ['--cluster', 'prod', '--table', 'modes'];

describe('the command', () => {
  let table: EmulatedTable;
  let queues: EmulatedQueues;
  beforeAll(async () => {
    table = await startTable('modes');
    queues = await startQueues(['ingest']);
  });
  afterAll(async () => {
    await queues?.stop();
    await table?.stop();
  });

  const mode = (...args: string[]): Promise<{ status: number; said: string }> =>
    new Promise((resolve) => {
      const env = {
        ...process.env,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
        AWS_ENDPOINT_URL_SQS: queues.endpoint,
      };
      execFile(process.execPath, ['bin/mode.ts', ...args], { cwd: root, env }, (error, stdout, stderr) => {
        const code = error?.code;
        resolve({ status: typeof code === 'number' ? code : error ? 1 : 0, said: `${stdout}${stderr}`.trim() });
      });
    });
  const state = () => ({ table: createDynamoDbTable(table.documents, 'modes'), cluster: 'prod' });

  it('stores what is switched and tells the ingest queue, whose function looks at once', async () => {
    expect(await mode('set', 'paced', 'off', '--queue', queues.url('ingest'), ...target)).toEqual({
      status: 0,
      said: [
        'prod native: runs at own; switched to what is configured',
        'prod paced: runs at off; switched to off',
      ].join('\n'),
    });
    expect((await readModes(state())).modes).toEqual({
      applied: { native: 'own', paced: 'off' },
      switched: { paced: 'off' },
      isOwed: true,
    });
    const { Messages = [] } = await queues.client.send(new ReceiveMessageCommand({ QueueUrl: queues.url('ingest') }));
    expect(Messages.map(({ Body = '' }) => parseChange(Body))).toEqual([
      { kind: 'Parsed', value: { type: 'Switched' } },
    ]);
  });

  it('shows the plan of a source that is to evict again', async () => {
    const modes = { applied: { ...allOwned, paced: 'off' }, switched: {}, rising: { paced: at } } as const;
    await writeModes(state(), await readModes(state()), modes);
    await storeModePlan(state(), 'paced', {
      at,
      pods: 1,
      namespaces: 1,
      origins: [{ origin: 'PacedTaintRule r', pods: 1 }],
    });
    expect((await mode('show', ...target)).said.split('\n')[1]).toBe(
      'prod paced: runs at off; switched to what is configured; evicts again within a minute of 2026-01-01T12:00:00.000Z: 1 pod in 1 namespace: PacedTaintRule r 1',
    );
  });

  it('lists the differences of a day', async () => {
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
    ['a source that there is not', ['set', 'all', 'off', ...target], /Allowed choices are native, paced/],
    ['a mode that there is not', ['set', 'paced', 'on', ...target], /Allowed choices are own, shadow, off/],
    ['no cluster', ['set', 'paced', 'off', '--table', 'modes'], /required option '--cluster/],
    ['a table that is not there', ['set', 'paced', 'off', '--cluster', 'prod', '--table', 'another'], /^mode: /],
  ])('with %s says what is wrong', async (_, args, says) => {
    expect(await mode(...args)).toMatchObject({ status: 1, said: expect.stringMatching(says) });
  });
});
