// Changes that arrive while a pod is being deleted take effect once it is put back, by this evictor or another.
import { describe, expect, it } from 'vitest';
import type { ApiFailure } from '../../../lib/ports.ts';
import { aPacedRule, aPod, aSlice, driver, upserted } from '../../support/objects.ts';
import { type PacedWorld, pacedWorld } from '../../support/pacedWorld.ts';

const key = 'example.com/xid';

/** The rule, edited to taint another pool and paused, so that no step processes its limiter. */
const elsewhere = aPacedRule('r', { generation: 2, paused: true, deviceSelector: { driver, pool: 'other' } });

/** A pod whose first DELETE gets this answer after ten seconds, and has no effect. */
async function aPodWhoseDelete(answer: ApiFailure): Promise<PacedWorld> {
  const paced = await pacedWorld({ p: {} });
  const { evictor } = paced.world.api;
  const carriesOut = evictor.delete;
  evictor.delete = async () => {
    evictor.delete = carriesOut;
    await paced.world.deps.clock.sleep(10_000);
    return answer;
  };
  await paced.write(aPacedRule('r'));
  await paced.run(3);
  expect(states(paced)).toEqual(['Deleting']);
  return paced;
}

/** The rule no longer selects the pod, and the driver taints its device. */
async function taintByDriver({ world, write, ingest }: PacedWorld) {
  await write(elsewhere);
  const taint = { key, effect: 'NoExecute', timeAdded: world.now() };
  await ingest(upserted(aSlice('slice-p', { devices: [{ name: 'p', taints: [taint] }] })));
}

const ledgers = ({ world }: PacedWorld) =>
  world.table.rows().flatMap(({ ledger }) => (ledger as { state: string; because: readonly unknown[] }) ?? []);
const states = (paced: PacedWorld) => ledgers(paced).map(({ state }) => state);

const unanswered: ApiFailure = { kind: 'RetryLater', after: 1000, why: 'no answer within 5 s' };
const throttled: ApiFailure = { kind: 'RetryLater', after: 1000, why: 'too many requests', status: 429 };

describe.each([
  ['had no answer', unanswered],
  ['was throttled', throttled],
])('a pod whose DELETE %s', (_, answer) => {
  it('a pod put back after a failed DELETE is evicted because of a taint added in the meantime', async () => {
    const paced = await aPodWhoseDelete(answer);
    await taintByDriver(paced);
    await paced.run(3);
    expect(states(paced)).toEqual(['Deleting']);
    await paced.run(240);
    expect(paced.gone()).toEqual(['p']);
    expect(ledgers(paced)).toMatchObject([{ state: 'Evicted', because: [{ taint: { key } }] }]);
  });

  it('a pod put back after a failed DELETE is kept when its device has no taint left, and its ledger is cancelled', async () => {
    const paced = await aPodWhoseDelete(answer);
    await paced.write(elsewhere);
    await paced.run(240);
    expect(paced.gone()).toEqual([]);
    expect(states(paced)).toEqual(['Cancelled']);
  });
});

it('a pod whose row changes while its DELETE is refused is pending at once, and not only when the lease of its attempt ends', async () => {
  const paced = await pacedWorld({ p: {} });
  const { evictor } = paced.world.api;
  const carriesOut = evictor.delete;
  evictor.delete = async () => {
    evictor.delete = carriesOut;
    // The PATCH before the DELETE is an event of the pod.
    await paced.ingest(upserted(aPod('p')));
    return throttled;
  };
  await paced.write(aPacedRule('r'));
  await paced.run(2);
  expect(evictor.delete).toBe(carriesOut);
  expect(states(paced)).toEqual(['Pending']);
  await paced.run(15);
  expect(paced.gone()).toEqual(['p']);
  expect(states(paced)).toEqual(['Evicted']);
});

it('an attempt that another step has taken over is not put back by the one whose DELETE is refused', async () => {
  const paced = await pacedWorld({ p: {} });
  const { evictor } = paced.world.api;
  const carriesOut = evictor.delete;
  evictor.delete = async () => {
    evictor.delete = carriesOut;
    const [row] = paced.world.table.rows().filter(({ ledger }) => ledger !== undefined);
    const ledger = { ...(row?.ledger as object), leaseUntil: paced.world.now() + 60_000 };
    const { pk = '', sk = '' } = row ?? {};
    await paced.world.table.write({
      kind: 'Update',
      key: { pk, sk },
      change: { set: { ledger, intent: ledger.leaseUntil }, add: { ver: 1 } },
    });
    return throttled;
  };
  await paced.write(aPacedRule('r'));
  await paced.run(2);
  expect(evictor.delete).toBe(carriesOut);
  expect(states(paced)).toEqual(['Deleting']);
});
