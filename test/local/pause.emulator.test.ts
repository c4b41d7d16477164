// `npm run pause` on an emulated table: what it says, what lies in the table then, and that nobody pauses everything by omission.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbTable } from '../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { readPauses } from '../../lib/state/pauseRows.ts';
import { type EmulatedTable, startTable } from '../support/emulators.ts';

const root = path.join(import.meta.dirname, '..', '..');

describe('the command', () => {
  let emulated: EmulatedTable;
  beforeAll(async () => {
    emulated = await startTable('pauses');
  });
  afterAll(() => emulated.stop());

  const pause = (...args: string[]): Promise<{ status: number; said: string }> =>
    new Promise((resolve) => {
      const env = {
        ...process.env,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        AWS_ENDPOINT_URL_DYNAMODB: emulated.endpoint,
      };
      execFile(process.execPath, ['bin/pause.ts', ...args], { cwd: root, env }, (error, stdout, stderr) => {
        const code = error?.code;
        resolve({ status: typeof code === 'number' ? code : error ? 1 : 0, said: `${stdout}${stderr}`.trim() });
      });
    });
  const read = () => readPauses({ table: createDynamoDbTable(emulated.documents, 'pauses'), cluster: 'prod' });

  it('pauses a cluster and everything, lists both, and ends each by its name', async () => {
    const prod = ['--cluster', 'prod', '--table', 'pauses'];
    const everything = ['--everything', '--table', 'pauses'];
    expect(await pause('set', 'audit', '--why', 'until Monday', ...prod)).toEqual({
      status: 0,
      said: 'cluster prod: paused: audit (until Monday)',
    });
    expect((await pause('set', 'incident', ...everything)).said).toBe('everything: paused: incident');
    expect((await pause('list', ...prod)).said).toBe(
      'cluster prod: paused: audit (until Monday); everything: incident',
    );
    expect(await read()).toMatchObject([
      { name: 'audit', of: 'cluster' },
      { name: 'incident', of: 'everything' },
    ]);
    expect((await pause('remove', 'incident', ...everything)).said).toBe('everything: not paused');
    expect((await pause('remove', 'audit', ...prod)).said).toBe('cluster prod: not paused');
    expect(await read()).toEqual([]);
  });

  it.each([
    [
      'neither a cluster nor everything',
      ['set', 'x', '--table', 'pauses'],
      /what is meant\? Name --cluster, or say --everything/,
    ],
    ['both', ['set', 'x', '--everything', '--cluster', 'prod', '--table', 'pauses'], /cannot be used with option/],
    ['no table', ['set', 'x', '--everything'], /required option '--table/],
    ['a name with spaces', ['set', 'a b', '--everything', '--table', 'pauses'], /letters, digits, dashes/],
    ['a cluster that can be none', ['list', '--cluster', '*', '--table', 'pauses'], /not the name of a cluster/],
    ['a table that is not there', ['set', 'x', '--everything', '--table', 'another'], /pause: /],
  ])('with %s changes nothing and says what is wrong', async (_, args, says) => {
    const { status, said } = await pause(...args);
    expect(status).toBe(1);
    expect(said).toMatch(says);
    expect(await read()).toEqual([]);
  });
});
