// An invocation processes as many messages as it has time for; the rest return to the queue and are processed first later.
import type { SQSRecord } from 'aws-lambda';
import { expect, it } from 'vitest';
import { parseChange } from '../../../lib/adapters/sqs/changes.ts';
import { formatMessage } from '../../../lib/adapters/sqs/wire.ts';
import { createIngestHandler } from '../../../lib/lambda/ingestHandler.ts';
import { ingest } from '../../../lib/stages/ingest/ingest.ts';
import { liveIncarnation } from '../../support/fakes/liveCluster.ts';
import { functionDependencies } from '../../support/functionDependencies.ts';
import { aPod } from '../../support/objects.ts';
import { createWorld } from '../../support/world.ts';

const start = 1_800_000_000_000;
const perMessage = 300;

/** A world whose table calls take two milliseconds, so that one message takes seconds. */
function busyWorld() {
  let calls = 0;
  const world = createWorld({
    start,
    around: (name, call) => {
      if (/^(get|query|write|transact)/.test(name)) {
        calls++;
        world.setNow(world.now() + 2);
      }
      return call();
    },
  });
  return { world, calls: () => calls };
}

const podsOf = (message: number) => Array.from({ length: perMessage }, (_, i) => aPod(`p${message}-${i}`));

async function taken(count: number) {
  const { world, calls } = busyWorld();
  const messages = Array.from({ length: count }, (_, i) => ({ type: 'Listed', objects: podsOf(i) }) as const);
  const results = await ingest(world.deps, world.cluster, messages);
  return { kinds: results.map(({ kind }) => kind), calls: calls(), ms: world.now() - start };
}

it('an invocation with ten messages of 300 objects takes no longer than with six, and leaves the last ones', async () => {
  const [six, ten] = [await taken(6), await taken(10)];
  expect(six.kinds.at(-1)).toBe('Later');
  expect(ten.calls).toBe(six.calls);
  expect(ten.ms).toBeLessThanOrEqual(20_000);
  const done = ten.kinds.filter((kind) => kind === 'Done').length;
  expect(done).toBeGreaterThan(1);
  expect(ten.kinds).toEqual([...Array(done).fill('Done'), ...Array(10 - done).fill('Later')]);
});

/** The messages that return to the queue, given the receive count of each. */
async function returned(receives: readonly number[]): Promise<readonly string[]> {
  const { world } = busyWorld();
  const deps = functionDependencies(world);
  const Records = receives.map((count, i) => ({
    messageId: `m${i}`,
    receiptHandle: 'handle',
    body: formatMessage({ type: 'Listed', objects: podsOf(i), incarnation: liveIncarnation }),
    attributes: { ApproximateReceiveCount: String(count) },
    eventSourceARN: 'arn:aws:sqs:eu-west-1:123456789012:Sluice-ingest-prod',
  })) as SQSRecord[];
  const context = { getRemainingTimeInMillis: () => 1000 } as never;
  const { batchItemFailures } = await createIngestHandler(deps, parseChange)({ Records }, context);
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

it('only messages without time left return to the queue, and a returned message is processed before others', async () => {
  const later = await returned(Array(10).fill(1));
  expect(later.at(-1)).toBe('m9');
  expect(later).not.toContain('m0');
  const [, ...others] = await returned([1, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
  expect(others).not.toContain('m9');
});

it('an invocation spends more time on messages that have returned often', async () => {
  const [fresh, pressed] = [await returned(Array(10).fill(1)), await returned(Array(10).fill(4))];
  expect(pressed.length).toBeLessThan(fresh.length);
});
