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

/** User and system time in ms of the process's living threads, summed by name. */
export function threadsOf(pid: number): Readonly<Record<string, number>> {
  const spent: Record<string, number> = {};
  for (const thread of namesIn(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const [name, stat] = [read(`${folder}/comm`)?.trim(), fieldsOf(`${folder}/stat`)];
    if (name && stat) spent[name] = (spent[name] ?? 0) + (sumOf(stat, [11, 12]) * 1000) / ticksPerSecond;
  }
  return spent;
}

export function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim() ?? '';
}

function statOf(pid: number): { readonly parent: number; readonly ticks: number } | undefined {
  const fields = fieldsOf(`/proc/${pid}/stat`);
  return fields && { parent: Number(fields[1]), ticks: sumOf(fields, [11, 12, 13, 14]) };
}

/** Fields after the name, which may contain spaces: state, parent, …, and from the 12th field the times. */
function fieldsOf(file: string): readonly string[] | undefined {
  const text = read(file);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function sumOf(fields: readonly string[], at: readonly number[]): number {
  return at.reduce((sum, i) => sum + Number(fields[i]), 0);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
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
