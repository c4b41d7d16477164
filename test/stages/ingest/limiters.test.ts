// Which limiters of a cluster are read when a change concerns some of them.
import { expect, it } from 'vitest';
import { policyRef } from '../../../lib/model/policy.ts';
import { report } from '../../../lib/stages/report/report.ts';
import { limiterControlKey } from '../../../lib/state/keys.ts';
import type { RowRange } from '../../../lib/table.ts';
import { aHeartbeat, deleted, nextVersion, upserted } from '../../support/objects.ts';
import { evictionPolicy } from '../../support/pacedBuilders.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;
const ofSlices = (count: number) =>
  Array.from({ length: count }, (_, i) => `slice|gpu.example.com|sick-${i}||NoExecute`);
const policy = evictionPolicy({
  name: 'gpus',
  taints: { drivers: ['gpu.example.com'] },
  approval: 'Required',
});

/** Limiters of so many rules and of five taints in slices, and the number of limiter rows that queries return. */
async function given(rules: number) {
  const counted = { rows: 0, most: 0 };
  const world = createWorld({
    start,
    around: async (name, call, args) => {
      const answer = await call();
      if (name !== 'query' || !(args[0] as RowRange).pk.endsWith('#LIMITERS')) return answer;
      const { length } = (answer as { rows: readonly unknown[] }).rows;
      counted.rows += length;
      counted.most = Math.max(counted.most, length);
      return answer;
    },
  });
  await world.deliver({ stage: 'ingest', at: start, body: [aHeartbeat(start)] });
  const limiters = [...Array.from({ length: rules }, (_, i) => `rule|uid-${i}`), ...ofSlices(5)];
  for (const limiter of limiters)
    await world.table.write({ kind: 'Put', row: { ...limiterControlKey(world.cluster, limiter), usedAt: start } });
  const during = async (work: () => Promise<unknown>) => {
    Object.assign(counted, { rows: 0, most: 0 });
    await work();
    return { ...counted };
  };
  const woken = () => world.messages.flatMap(({ stage, body }) => (stage === 'evict' ? [body.limiter] : []));
  return { world, during, woken };
}

for (const rules of [50, 5000])
  it(`a policy among the limiters of ${rules} rules reads only those that it selects, and wakes them`, async () => {
    const { world, during, woken } = await given(rules);
    const { rows } = await during(() => world.deliver({ stage: 'ingest', at: start, body: [upserted(policy)] }));
    expect(rows).toBeLessThanOrEqual(10);
    expect(new Set(woken())).toEqual(new Set(ofSlices(5)));
    const asked = await during(() =>
      report(world.depsOf('report'), { cluster: world.cluster, rule: policyRef('gpus') }),
    );
    expect(asked.rows).toBeLessThanOrEqual(10);
    const gone = { ...policy, resourceVersion: nextVersion() };
    const left = await during(() => world.deliver({ stage: 'ingest', at: start, body: [deleted(gone)] }));
    expect(left.rows).toBeLessThanOrEqual(20);
  });

it('a heartbeat after a silence wakes every limiter, and reads at most a thousand at a time', async () => {
  const { world, during, woken } = await given(5000);
  world.setNow(start + 600_000);
  const { most } = await during(() =>
    world.deliver({ stage: 'ingest', at: world.now(), body: [aHeartbeat(world.now())] }),
  );
  expect(most).toBeLessThanOrEqual(1000);
  expect(new Set(woken()).size).toBe(5005);
});
