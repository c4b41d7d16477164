// The shadow differences of a day are read in pages of bounded size.
import { expect, it } from 'vitest';
import { differencesPartition } from '../../lib/state/modeKeys.ts';
import type { RowPage } from '../../lib/table.ts';
import { aroundCalls } from '../support/around.ts';
import { readDifferences } from '../support/differences.ts';
import { createWorld } from '../support/world.ts';

const day = '2027-01-15';

async function pagesOf(differences: number) {
  const { table, cluster } = createWorld({ start: Date.parse(day) });
  for (let i = 0; i < differences; i++) {
    const sk = String(i).padStart(8, '0');
    await table.write({ kind: 'Put', row: { pk: differencesPartition(cluster, day), sk, kind: 'Early' } });
  }
  let most = 0;
  const counted = aroundCalls(table, async (_, call) => {
    const answer = await call();
    most = Math.max(most, (answer as RowPage).rows.length);
    return answer;
  });
  expect(await readDifferences({ table: counted, cluster }, day)).toHaveLength(differences);
  return most;
}

it('differences of a day are read 100 at a time, whether there are 300 or 3,000', async () => {
  expect([await pagesOf(300), await pagesOf(3000)]).toEqual([100, 100]);
});
