// How long a pause of every cluster waits when no list names the clusters.
import { expect, it } from 'vitest';
import type { OpenInstallation } from '../../lib/commands/installation/open.ts';
import { waitUntilSettled } from '../../lib/commands/pause/tablePause.ts';
import { createInMemoryTable } from '../support/fakes/table.ts';

it('a pause of every cluster waits for the longest possible DELETE when no list names the clusters', async () => {
  let now = 0;
  const sleep = async (milliseconds: number) => {
    now += milliseconds;
  };
  const io = { env: {}, now: () => now, sleep };
  const open = { table: createInMemoryTable(), tableName: 'table', target: {}, file: undefined, io, close: () => {} };
  const settled = await waitUntilSettled(open as OpenInstallation, {
    cluster: undefined,
    io: { ...io, signal: new AbortController().signal } as never,
    within: 60_000,
  });
  expect([settled, now]).toEqual([{ kept: 0, clusters: [] }, 11_500]);
});
