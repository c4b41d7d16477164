// `sluice cost`: estimates the monthly cost for a fleet and the AWS quotas to raise.
import { estimate } from '../../cost/estimate.ts';
import { quotasOf } from '../../cost/quotas.ts';
import type { Fleet } from '../../cost/usage.ts';
import type { Call, Flags } from '../definition.ts';
import { UsageFailure } from '../failure.ts';
import { numberFlag } from '../flags.ts';
import { line, widthOf } from '../io.ts';
import { fitLine } from '../output/fitted.ts';
import { formatOf, printFound } from '../output/print.ts';
import { tableLines } from '../output/table.ts';

export async function run(call: Call): Promise<number> {
  const { flags, io } = call;
  const format = await formatOf(call);
  const fleet = fleetOf(flags);
  const result = { ...estimate(fleet), quotas: quotasOf(fleet) };
  if (format.kind !== 'table' && format.kind !== 'wide') {
    const single = { items: [result], columns: [], isSingle: true, noun: 'cost' };
    await printFound(call, { ...single, object: (one) => one, name: (one) => one.dollars.toFixed(2) }, format);
    return 0;
  }
  const width = widthOf(io.out, io.env);
  const total = { service: 'a month, in US dollars', what: '', amount: '', dollars: result.dollars.toFixed(2) };
  const lines = result.lines.map((one) => ({
    ...one,
    amount: numberText(one.amount),
    dollars: one.dollars.toFixed(2),
  }));
  const costs = [
    { name: 'SERVICE', of: (one: (typeof lines)[number]) => one.service },
    { name: 'WHAT', of: (one: (typeof lines)[number]) => one.what },
    { name: 'AMOUNT', of: (one: (typeof lines)[number]) => one.amount },
    { name: 'DOLLARS', of: (one: (typeof lines)[number]) => one.dollars },
  ];
  for (const one of tableLines(costs, [...lines, total], { width })) line(io.out, one);
  line(io.out, '');
  const peak = 'Quotas needed at peak load (initial list of the cluster and 100 evictions per second)';
  fitLine(io.out, peak, { env: io.env });
  const quotas = [
    { name: 'QUOTA', of: (one: (typeof result.quotas)[number]) => one.quota },
    { name: 'NEEDED', of: (one: (typeof result.quotas)[number]) => numberText(one.needed) },
    { name: 'STANDARD', of: (one: (typeof result.quotas)[number]) => numberText(one.standard) },
    {
      name: 'RAISE TO',
      of: (one: (typeof result.quotas)[number]) => (one.raiseTo === undefined ? '' : numberText(one.raiseTo)),
    },
  ];
  for (const one of tableLines(quotas, result.quotas, { width })) line(io.out, one);
  return 0;
}

function fleetOf(flags: Flags): Fleet {
  const whole = { least: 1, isWhole: true } as const;
  const alarms = numberFlag(flags, 'alarms', whole);
  return {
    clusters: numberFlag(flags, 'clusters', whole) ?? 1,
    nodes: required(numberFlag(flags, 'nodes', whole), '--nodes N: nodes with devices, per cluster'),
    devicesPerNode: numberFlag(flags, 'devices', whole) ?? 8,
    eventsPerSecond: required(numberFlag(flags, 'events'), '--events N: changes a second, per cluster'),
    evictionsPerMonth: numberFlag(flags, 'evictions') ?? 1000,
    rules: numberFlag(flags, 'rules', { least: 0, isWhole: true }) ?? 10,
    ...(alarms === undefined ? {} : { alarms }),
  };
}

function required(value: number | undefined, what: string): number {
  if (value === undefined) throw new UsageFailure(`an option is missing: ${what}`, 'see: sluice cost --help');
  return value;
}

function numberText(value: number): string {
  return value >= 100
    ? Math.round(value).toLocaleString('en-US')
    : value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}
