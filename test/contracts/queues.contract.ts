// What every Queues adapter must do: lose no message, and deliver none before it is due.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterId } from '../../lib/model/identity.ts';
import type { Queues } from '../../lib/ports.ts';
import type { SentMessage } from '../support/fakes/queues.ts';

export interface QueuesUnderTest {
  readonly queues: Queues;
  /** Everything sent since the last call; in no particular order. */
  take(): readonly SentMessage[];
  stop(): Promise<void>;
}

/** The adapters' clock does not move here. */
export const contractNow = Date.UTC(2026, 0, 1);

const cluster: ClusterId = 'prod@uid-kube-system';
const group = 'prod';
const limiter = { cluster, limiter: 'rule|uid-1' };

export function queuesContract(name: string, start: () => Promise<QueuesUnderTest>): void {
  describe(`queues contract: ${name}`, () => {
    let under: QueuesUnderTest;
    beforeAll(async () => {
      under = await start();
    });
    beforeEach(() => void under.take());
    afterAll(() => under.stop());

    it('a message arrives as it was sent, in its own queue', async () => {
      const evaluate = { cluster, pods: ['ml/a', 'ml/b'], fanout: { rule: 'r', epoch: 'uid/1', chunk: '5.0' } };
      const evict = { ...limiter, hops: 2 };
      const rows = ['a', 'b'].map((sk) => ({ pk: 'prod#LIMITERS', sk }));
      const reports = ['a', 'b'].map((sk) => ({ pk: 'prod#REPORT', sk }));
      const event = {
        name: 'a.1',
        regarding: { namespace: 'ml', name: 'a', uid: 'uid-a' },
        type: 'Normal',
        reason: 'PolicyGone',
        message: 'text with "quotes", ünïcode, \u0000 and \uFFFF',
        at: contractNow,
      } as const;
      await under.queues.sendEvaluate([evaluate]);
      await under.queues.sendEvict([evict]);
      await under.queues.sendDue([{ stage: 'evict', cluster, rows }]);
      await under.queues.sendReport([{ cluster, rule: 'r' }]);
      await under.queues.sendDue([{ stage: 'report', cluster, rows: reports }]);
      await under.queues.sendEvents([{ cluster, event }]);
      const expected = [
        { stage: 'evaluate', message: evaluate, delaySeconds: 0 },
        { stage: 'evict', message: evict, delaySeconds: 0, group },
        ...rows.map((row) => ({ stage: 'evict', message: { cluster, rows: [row] }, delaySeconds: 0, group })),
        { stage: 'report', message: { cluster, rule: 'r' }, delaySeconds: 0 },
        ...reports.map((row) => ({ stage: 'report', message: { cluster, rows: [row] }, delaySeconds: 0 })),
        { stage: 'report', message: { cluster, event }, delaySeconds: 0 },
      ];
      expect(under.take()).toEqual(expected);
    });

    it.each([
      ['no time', undefined, 0],
      ['the past', -5000, 0],
      ['now', 0, 0],
      ['a moment ahead is a whole second', 1, 1],
      ['half way is rounded up', 1500, 2],
      ['a whole second', 2000, 2],
      ['the most that SQS takes', 900_000, 900],
      ['more than SQS takes', 86_400_000, 900],
    ])(
      'the delay of a limiter, rule or due row is rounded up to whole seconds, at most 900: %s',
      async (_, ahead, delaySeconds) => {
        const notBefore = ahead === undefined ? {} : { notBefore: contractNow + ahead };
        await under.queues.sendEvict([{ ...limiter, ...notBefore }]);
        const [rows, reports] = [[{ pk: 'p', sk: 's' }], [{ pk: 'p', sk: 'r' }]];
        await under.queues.sendDue([{ stage: 'evict', cluster, rows, ...notBefore }]);
        await under.queues.sendReport([{ cluster, rule: 'r', ...notBefore }]);
        await under.queues.sendDue([{ stage: 'report', cluster, rows: reports, ...notBefore }]);
        expect(under.take()).toEqual([
          { stage: 'evict', message: limiter, delaySeconds, group },
          { stage: 'evict', message: { cluster, rows }, delaySeconds, group },
          { stage: 'report', message: { cluster, rule: 'r' }, delaySeconds },
          { stage: 'report', message: { cluster, rows: reports }, delaySeconds },
        ]);
      },
    );

    it('more messages than fit into one request all arrive, each once', async () => {
      const messages = Array.from({ length: 43 }, (_, i) => ({ cluster, limiter: `rule|${i}` }));
      await under.queues.sendEvict(messages);
      const limiters = under.take().map(({ message }) => (message as { limiter: string }).limiter);
      expect(limiters.sort()).toEqual(messages.map((message) => message.limiter).sort());
    });

    it('messages that are too large together all arrive', async () => {
      const pods = Array.from({ length: 100 }, (_, i) => `${'n'.repeat(63)}/${'p'.repeat(2500)}${i}`);
      const messages = Array.from({ length: 9 }, () => ({ cluster, pods }));
      await under.queues.sendEvaluate(messages);
      expect(under.take()).toHaveLength(9);
    });

    it('an empty list of messages sends nothing', async () => {
      await under.queues.sendEvaluate([]);
      await under.queues.sendEvict([]);
      expect(under.take()).toEqual([]);
    });
  });
}
