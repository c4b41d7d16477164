// The watchers of a history: processes that are restarted or cut off from the API server or their queue, with clocks of their own.
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Log } from '../../lib/ports.ts';
import type { ApiServer } from './apiServer.ts';
import type { Program } from './bundle.ts';
import type { Action, Luck } from './history.ts';
import { createProcess, type Process } from './processes.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './virtualTime.ts';

export interface WatchersOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly luck: () => Luck;
  readonly cluster: string;
  readonly api: ApiServer;
  readonly sqs: Pick<SQSClient, 'send'>;
  readonly programs: readonly Program[];
  readonly log: Log;
  readonly isApiDown: () => boolean;
  readonly count: number;
}

export interface Watchers {
  /** Carries out the actions on watchers. */
  act(action: Action): void;
  stop(): void;
}

export function startWatchers(options: WatchersOptions): Watchers {
  const { time, random, luck } = options;
  const watchers = Array.from({ length: options.count }, () => {
    let cutUntil = 0;
    let muteUntil = 0;
    let abort = new AbortController();
    let process: Process | undefined;
    const begin = () => {
      const skew = Math.round((2 * random.next() - 1) * luck().watcherSkew);
      process = createProcess({
        time,
        random: random.fork(`watcher ${random.next()}`),
        luck,
        skew,
        isApiCut: () => time.now() < cutUntil || options.isApiDown(),
        isMute: () => time.now() < muteUntil,
      });
      abort = new AbortController();
      const outside = {
        cluster: options.cluster,
        sqs: process.sqs(options.sqs),
        api: options.api.connect(process.link),
        clock: process.clock,
        log: options.log,
      };
      random.pick(options.programs).watchCluster(outside, abort.signal);
    };
    const end = () => {
      process?.end();
      abort.abort();
    };
    begin();
    return {
      end,
      restart() {
        end();
        time.at(time.now() + random.int(5000), begin);
      },
      cut: (duration: number) => {
        cutUntil = time.now() + duration;
      },
      mute: (duration: number) => {
        muteUntil = time.now() + duration;
      },
    };
  });
  const of = (index: number) => watchers[index % watchers.length];
  return {
    act(action) {
      if (action.do === 'RestartWatcher') of(action.watcher)?.restart();
      if (action.do === 'PartitionWatcher') of(action.watcher)?.cut(action.for);
      if (action.do === 'MuteWatcher') of(action.watcher)?.mute(action.for);
    },
    stop() {
      for (const watcher of watchers) watcher.end();
    },
  };
}
