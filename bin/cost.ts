// `npm run cost`: what Sluice costs a month for a fleet, and which quotas to raise for it.
import { Command, InvalidArgumentError } from 'commander';
import { estimate } from '../lib/cost/estimate.ts';
import { quotasOf } from '../lib/cost/quotas.ts';
import type { Fleet } from '../lib/cost/usage.ts';

function count(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('not a number from 0 on');
  return value;
}

function whole(text: string): number {
  const value = count(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('not a whole number from 1 on');
  return value;
}

new Command('cost')
  .description('Estimates the monthly cost of an installation from list prices, without the free tier.')
  .requiredOption('--nodes <n>', 'nodes with devices, per cluster', whole)
  .requiredOption('--events <n>', 'changes of pods, claims, slices and rules a second, per cluster', count)
  .option('--devices <n>', 'devices per node', whole, 8)
  .option('--evictions <n>', 'evicted pods a month, per cluster', count, 1000)
  .option('--clusters <n>', 'clusters of the installation, all alike', whole, 1)
  .option('--alarms <n>', 'CloudWatch alarms of the stack', whole, 41)
  .option('--json', 'one JSON object instead of tables')
  .showHelpAfterError()
  .action((flags) => {
    const fleet: Fleet = {
      clusters: flags.clusters,
      nodes: flags.nodes,
      devicesPerNode: flags.devices,
      eventsPerSecond: flags.events,
      evictionsPerMonth: flags.evictions,
      alarms: flags.alarms,
    };
    const result = { ...estimate(fleet), quotas: quotasOf(fleet) };
    if (flags.json) console.log(JSON.stringify(result));
    else print(result);
  })
  .parse();

function print({
  lines,
  dollars,
  quotas,
}: ReturnType<typeof estimate> & { quotas: ReturnType<typeof quotasOf> }): void {
  for (const line of lines)
    row([line.service, line.what, number(line.amount), line.dollars.toFixed(2)], [20, 24, 16, 12]);
  row(['a month, in US dollars', '', '', dollars.toFixed(2)], [20, 24, 16, 12]);
  console.log('\nQuotas at the peak: a list of the whole cluster and 100 evictions a second');
  for (const { quota, standard, needed, raiseTo } of quotas)
    row(
      [quota, number(needed), `of ${number(standard)}`, raiseTo === undefined ? '' : `raise to ${number(raiseTo)}`],
      [74, 10, 14, 18],
    );
}

function row(cells: readonly string[], widths: readonly number[]): void {
  const isNumber = (cell: string) => /^[\d,.]+$/.test(cell);
  const line = cells.map((cell, i) => (isNumber(cell) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)));
  console.log(line.join(' ').trimEnd());
}

function number(value: number): string {
  return value >= 100
    ? Math.round(value).toLocaleString('en-US')
    : value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
