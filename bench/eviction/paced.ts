// Checks that Sluice keeps its rate limit while other processes use all processors.
import { spawn } from 'node:child_process';
import { prepare } from './load.ts';
import { playRound, type Round } from './rounds.ts';
import { startSystem } from './systems.ts';

export interface PacedOrder {
  readonly pods: number;
  readonly rate: { readonly perSecond: number; readonly burst: number };
  /** Number of busy loops per round. */
  readonly loops: readonly number[];
  readonly mostMs: number;
}

export interface PacedRound extends Round {
  readonly loops: number;
  readonly burst: number;
}

export async function playPaced(order: PacedOrder, done: (round: PacedRound) => void): Promise<readonly PacedRound[]> {
  const { pods, rate, mostMs } = order;
  const played: PacedRound[] = [];
  const running = await startSystem('sluice');
  try {
    await prepare(running.controlPlane.client, pods);
    for (const loops of order.loops) {
      const name = `beside-${loops}`;
      const round = await beside(loops, () => playRound(running, { name, pods, rate, mostMs }));
      played.push({ ...round, loops, burst: rate.burst });
      done({ ...round, loops, burst: rate.burst });
      if (round.deleted < pods) break;
    }
  } finally {
    await running.stop();
  }
  return played;
}

/** Deletes per second after the burst. */
export function pacedRate({ times, burst }: PacedRound): number {
  const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
  return span > 0 ? ((times.length - burst) * 1000) / span : 0;
}

async function beside<T>(loops: number, work: () => Promise<T>): Promise<T> {
  const busy = Array.from({ length: loops }, () => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
  const end = () => {
    for (const one of busy) one.kill('SIGKILL');
  };
  process.once('exit', end);
  try {
    return await work();
  } finally {
    end();
    process.off('exit', end);
  }
}
