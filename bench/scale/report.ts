// Report of the benchmark: one row per function.
import type { Measured } from './functionProcesses.ts';

/** Limit in MB of `heapUsed + external`. */
export const mostMegabytes = 200;

export function tableOf(measured: ReadonlyMap<string, Measured>): string {
  const head = ['function', 'peak MB', 'kept MB', 'invocations', 'failures', 'timeouts', 'crashes', ''];
  const rows = [...measured].map(([name, one]) => [
    name,
    megabytes(one.peak),
    megabytes(one.kept),
    ...[one.invocations, one.failures, one.timeouts, one.crashes].map(String),
    isAbove(one) ? `above ${mostMegabytes} MB` : '',
  ]);
  return [head, ...rows].map(([name = '', ...cells]) => line(name, cells)).join('\n');
}

export function isAbove({ peak, crashes }: Measured): boolean {
  return peak > mostMegabytes * 1e6 || crashes > 0;
}

function line(name: string, cells: readonly string[]): string {
  return [name.padEnd(18), ...cells.map((cell) => cell.padStart(11))].join(' ').trimEnd();
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}
