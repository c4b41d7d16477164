// Processes that may crash at any call: each of their calls may be late, throttled, carried out without a response, or hang.
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock } from '../../lib/ports.ts';
import type { DuePage, Table } from '../../lib/table.ts';
import { aroundCalls } from '../support/around.ts';
import type { Luck } from './history.ts';
import type { Fate, Link } from './links.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtualTime.ts';

export interface ProcessOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly luck: () => Luck;
  /** How far its clock is off. */
  readonly skew: number;
  /** Whether it is cut off from the API server. */
  readonly isApiCut: () => boolean;
  /** Whether it is cut off from SQS. */
  readonly isMute?: () => boolean;
}

export interface Process {
  readonly clock: Clock;
  readonly link: Link;
  /** Its calls hang from now on. */
  end(): void;
  /** It may end at one of its next calls; then `onEnd` is called. */
  risk(onEnd: () => void): void;
  readonly isEnded: boolean;
  table(table: Table): Table;
  sqs(client: Pick<SQSClient, 'send'>): Pick<SQSClient, 'send'>;
}

const never = new Promise<never>(() => {});

/** An error with the name that SDK clients use. */
function failure(name: string, what: string): Error {
  return Object.assign(new Error(what), { name });
}

export function createProcess(options: ProcessOptions): Process {
  const { time, random, luck } = options;
  let isEnded = false;
  let callsLeft = Number.POSITIVE_INFINITY;
  let onEnd = () => {};
  const end = () => {
    isEnded = true;
    onEnd();
  };
  const latency = (most = 8) => {
    const { stall, stallTime } = luck();
    return 1 + random.int(most) + (random.chance(stall) ? random.int(stallTime) : 0);
  };
  /** Whether the process ends at this call, which may have been carried out then. */
  const endsHere = (call: () => Promise<unknown>): boolean => {
    if (callsLeft-- > 0) return false;
    if (random.chance(0.5)) void call();
    end();
    return true;
  };
  const late = async (most?: number) => {
    await time.sleep(latency(most));
    if (isEnded) await never;
  };
  /** `again`: the retry of the SDK; absent if the call is not retried. */
  const through = async <T>(call: () => Promise<T>, again?: () => Promise<T>): Promise<T> => {
    if (isEnded || endsHere(call)) return never;
    // All latency is before the call: whatever happens while the response is in flight happens before the next call as well.
    await late(16);
    if (random.chance(luck().throttled)) throw failure('ThrottlingException', 'Rate exceeded');
    const result = await call();
    if (!random.chance(luck().unheard)) return result;
    await clock.sleep(1000);
    if (!again || random.chance(0.5)) throw failure('TimeoutError', 'no answer within 1000 ms');
    return again();
  };
  const clock: Clock = {
    now: () => time.now() + options.skew,
    async sleep(duration) {
      await time.sleep(duration);
      if (isEnded) await never;
    },
  };
  return {
    clock,
    get isEnded() {
      return isEnded;
    },
    end,
    risk(told) {
      onEnd = told;
      callsLeft = random.chance(luck().crash) ? random.int(40) : Number.POSITIVE_INFINITY;
    },
    link: {
      fate: (): Fate => {
        const { refused, unheard } = luck();
        const times = { before: latency(), after: latency() };
        if (isEnded || callsLeft-- <= 0) {
          if (!isEnded) end();
          return { ...times, failure: random.chance(0.5) ? 'Unsent' : 'Unheard' };
        }
        if (random.chance(refused)) return { ...times, failure: random.pick([429, 500, 503] as const) };
        return random.chance(unheard) ? { ...times, failure: random.pick(['Unsent', 'Unheard'] as const) } : times;
      },
      lineDelay: () => 1 + random.int(20),
      isCut: options.isApiCut,
      sleep: clock.sleep,
    },
    table: (table) =>
      // A transaction carries a request token, so that its retry has no second effect; a single write carries none.
      aroundCalls(
        lagging(table, () => random.chance(luck().lagging)),
        (name, call) => through(call, name === 'transact' ? undefined : call),
      ),
    sqs: (client) => ({
      send: ((command: never) =>
        through(async () => {
          if (options.isMute?.()) {
            await time.sleep(3000);
            throw failure('TimeoutError', 'connect ETIMEDOUT');
          }
          return client.send(command);
        })) as Pick<SQSClient, 'send'>['send'],
    }),
  };
}

/** The due index is eventually consistent: sometimes it returns its last result again. */
function lagging(table: Table, isBehind: () => boolean): Table {
  const before = new Map<string, DuePage>();
  return {
    ...table,
    async queryDue(range) {
      const key = JSON.stringify([range.pk, range.after]);
      const last = before.get(key);
      if (last && isBehind()) return last;
      const page = await table.queryDue(range);
      before.set(key, page);
      return page;
    },
  };
}
