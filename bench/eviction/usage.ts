// Processor time and memory of process trees, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

export interface Usage {
  /** User and system time since the start of the process, including its ended children. */
  readonly processorMs: number;
  readonly peakMiB: number;
}

/** Clock ticks per second; fixed on Linux (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

/** Ids of the process and its descendants. */
export function treeOf(root: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (stat) parents.set(Number(name), stat.parent);
  }
  const below = (pid: number): readonly number[] => [
    pid,
    ...[...parents].flatMap(([child, parent]) => (parent === pid ? below(child) : [])),
  ];
  return below(root);
}

/** Undefined if the process has ended. */
export function usageOf(pid: number): Usage | undefined {
  const stat = statOf(pid);
  if (!stat) return undefined;
  return { processorMs: (stat.ticks * 1000) / ticksPerSecond, peakMiB: peakOf(pid) };
}

export function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim() ?? '';
}

function statOf(pid: number): { readonly parent: number; readonly ticks: number } | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // After the command name, which may contain spaces: state, parent, …, and from the 12th field the times.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), ticks: [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0) };
}

function peakOf(pid: number): number {
  const kib = /^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kib ?? 0) / 1024;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
