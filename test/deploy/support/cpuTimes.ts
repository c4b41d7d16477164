// Processor time by process, read from /proc: on a shared machine it says more than elapsed time.
import { readdirSync, readFileSync } from 'node:fs';

export interface CpuTimes {
  /** Milliseconds since each process began, by group; processes that have ended are left out. */
  readonly [group: string]: number;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ms: number;
  readonly command: string;
}

/** USER_HZ of Linux, whatever its kernel counts in. */
const ticksPerSecond = 100;

/** Of this process, which plays the cluster, and of all below it. Empty where there is no /proc. */
export function cpuTimes(): CpuTimes {
  const all = processes();
  const mine = new Set([process.pid]);
  for (let before = 0; before < mine.size; ) {
    before = mine.size;
    for (const { pid, parent } of all) if (mine.has(parent)) mine.add(pid);
  }
  const times: Record<string, number> = {};
  for (const { pid, ms, command } of all.filter((one) => mine.has(one.pid))) {
    const group = pid === process.pid ? 'cluster' : groupOf(command);
    times[group] = (times[group] ?? 0) + ms;
  }
  return times;
}

/** Milliseconds between the two, largest first, as text. */
export function formatCpu(from: CpuTimes, to: CpuTimes, per = 1): string {
  const spent = Object.entries(to).map(([group, ms]) => ({ group, ms: (ms - (from[group] ?? 0)) / per }));
  const shown = spent.filter(({ ms }) => ms >= 0.05).sort((a, b) => b.ms - a.ms);
  return shown.map(({ group, ms }) => `${group} ${ms.toFixed(1)}`).join(', ');
}

function groupOf(command: string): string {
  const [, name] = /Sluice-Sluice([A-Z][a-z]+)Function/.exec(command) ?? [];
  if (name) return name.toLowerCase();
  if (command.includes('ministack') || command.includes('localstack')) return 'emulator';
  return command.includes('watcher') ? 'watcher' : 'others';
}

function processes(): readonly Process[] {
  const pids = entries('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The second field is the program's name in brackets, which may hold anything.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [parent, user, system] = [fields[1], fields[11], fields[12]].map(Number);
      const ms = (((user ?? 0) + (system ?? 0)) / ticksPerSecond) * 1000;
      return [{ pid: Number(pid), parent: parent ?? 0, ms, command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
