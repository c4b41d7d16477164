// Writes the documentation page `performance` and its charts from the rounds of one run.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Measured } from '../../test/cost/measured.ts';
import { renderChart, type Series } from './charts.ts';
import { type PacedRound, pacedRate } from './paced.ts';
import { ownProcessorMs, perSecond, type Round } from './rounds.ts';
import { type SystemName, systemNames } from './systems.ts';

export interface Results {
  readonly rounds: readonly Round[];
  readonly paced: readonly PacedRound[];
  /** Measured with the real steps on an in-memory table. */
  readonly operations: Measured['eviction'];
  /** Load average (1 min) before the run. */
  readonly busy: number;
  readonly cores: number;
  readonly minutes: number;
}

const names: Readonly<Record<SystemName, string>> = {
  sluice: 'Sluice',
  'in-tree': 'in-tree',
  'in-tree-raised': 'in-tree, raised',
};

interface Figure {
  readonly file: string;
  readonly title: string;
  readonly unit: string;
  readonly of: (round: Round) => number;
}

const figures: readonly Figure[] = [
  { file: 'performance-rate', title: 'Deletes', unit: 'a second', of: perSecond },
  { file: 'performance-first', title: 'First delete', unit: 'ms after the rule', of: ({ times }) => times[0] ?? 0 },
  { file: 'performance-last', title: 'Last delete', unit: 'ms after the rule', of: ({ times }) => times.at(-1) ?? 0 },
  { file: 'performance-processor', title: 'Processor time', unit: 'ms for each delete', of: processorEach },
  { file: 'performance-memory', title: 'Memory at its peak', unit: 'MiB', of: ownMemory },
];

const docs = path.join(import.meta.dirname, '..', '..', 'docs');

export function writePage(results: Results): void {
  for (const figure of figures)
    writeFileSync(
      path.join(docs, 'images', `${figure.file}.svg`),
      renderChart(figure.title, figure.unit, seriesOf(results.rounds, figure)),
    );
  writeFileSync(path.join(docs, 'reference', 'performance.md'), renderPage(results));
}

function seriesOf(rounds: readonly Round[], { of }: Figure): readonly Series[] {
  return systemNames.map((system) => ({
    name: names[system],
    points: groups(rounds)
      .filter((group) => group.system === system)
      .map((group) => ({ pods: group.pods, value: median(group.rounds.map(of)) })),
  }));
}

export function renderPage({ rounds, paced, operations, busy, cores, minutes }: Results): string {
  return `# Performance

This page is written by \`npm run bench\`. One system runs at a time, on a real API server of its own; all share one machine with etcd, the API server and the program that makes the pods.

The run took ${Math.round(minutes)} minutes on ${cores} cores. ${
    busy > 0.5
      ? `The machine was busy before it (load ${busy.toFixed(1)}): times and rates are worse than on a quiet one. Compare the systems, and processor time, before anything else.`
      : 'The machine was quiet before it.'
  }

| system | what it is |
|---|---|
| Sluice | \`npm start -- --kubeconfig\`: watcher, functions, queues and table on this machine |
| in-tree | the device-taint-eviction-controller of kube-controller-manager, v1.37.1 |
| in-tree, raised | the same with \`--kube-api-qps=5000 --kube-api-burst=5000\` |

## Without a limit

One rule taints all devices. Times count from the API server's answer to the rule until a watch shows a pod's deletionTimestamp. Each figure is the median of its rounds. *Stopped*: the round ended after the deletes that are named, and the charts show it as far as it came.

| pods | system | rounds | deletes | first delete | last delete | deletes a second | processor time each | memory | API calls each | load |
|---|---|---|---|---|---|---|---|---|---|---|
${groups(rounds).map(rowOf).join('\n')}

Processor time and memory are those of the system alone, without etcd and API server. Sluice's is the sum of its two processes, emulated queues and table included:

| pods | ${sluiceHeads(rounds).join(' | ')} |
|---|${sluiceHeads(rounds)
    .map(() => '---|')
    .join('')}
${groups(rounds)
  .filter(({ system }) => system === 'sluice')
  .map(partsRow)
  .join('\n')}

By thread, where it is at least 0.1 ms for each delete:

| pods | threads |
|---|---|
${groups(rounds)
  .filter(({ system }) => system === 'sluice')
  .map(threadsRow)
  .join('\n')}

${figures.map(({ file, title, unit }) => `![${title}, ${unit}, by the number of pods](../images/${file}.svg)`).join('\n\n')}

## Table and queues

The real steps over a table in memory ask for ${operations.writes.toFixed(1)} write units, ${operations.reads.toFixed(1)} read units and ${operations.messages.toFixed(2)} messages for each eviction of 200 by one rule. [What that costs](../cost.md).

## At a limit, beside other work

A rule of 10 deletes a second, burst 10. Busy loops are \`sh -c 'while :; do :; done'\`.

| pods | busy loops | achieved | most in one second | deletes | load |
|---|---|---|---|---|---|
${paced.map((one) => `| ${one.pods} | ${one.loops} | ${pacedRate(one).toFixed(2)}/s | ${mostInASecond(one)} | ${one.deleted} | ${one.load.toFixed(1)} |`).join('\n')}

The benchmark does not run Sluice on AWS or on an emulated account: \`npm run bench:deploy\` does the latter.
`;
}

interface Group {
  readonly system: SystemName;
  readonly pods: number;
  readonly rounds: readonly Round[];
}

function groups(rounds: readonly Round[]): readonly Group[] {
  const sizes = [...new Set(rounds.map(({ pods }) => pods))].sort((a, b) => a - b);
  return sizes.flatMap((pods) =>
    systemNames.flatMap((system) => {
      const own = rounds.filter((one) => one.pods === pods && one.system === system);
      return own.length === 0 ? [] : [{ system, pods, rounds: own }];
    }),
  );
}

function rowOf({ system, pods, rounds }: Group): string {
  const of = (figure: (round: Round) => number, digits = 0) => median(rounds.map(figure)).toFixed(digits);
  const deleted = of((one) => one.deleted);
  const cells = [
    pods,
    names[system],
    rounds.length,
    Number(deleted) < pods ? `${deleted}, stopped` : deleted,
    `${of(({ times }) => times[0] ?? 0)} ms`,
    `${of(({ times }) => times.at(-1) ?? 0)} ms`,
    pods === 1 ? '' : of(perSecond, 1),
    `${of(processorEach, 1)} ms`,
    `${of(ownMemory)} MiB`,
    of(({ calls, deleted }) => sum(Object.values(calls)) / Math.max(1, deleted), 1),
    of(({ load }) => load, 1),
  ];
  return `| ${cells.join(' | ')} |`;
}

function sluiceHeads(rounds: readonly Round[]): readonly string[] {
  const first = rounds.find(({ system }) => system === 'sluice');
  return Object.keys(first?.processorMs ?? {});
}

function partsRow({ pods, rounds }: Group): string {
  const parts = sluiceHeads(rounds).map(
    (part) =>
      `${median(rounds.map((one) => (one.processorMs[part] ?? 0) / Math.max(1, one.deleted))).toFixed(1)} ms, ${median(rounds.map((one) => one.peakMiB[part] ?? 0)).toFixed(0)} MiB`,
  );
  return `| ${pods} | ${parts.join(' | ')} |`;
}

function threadsRow({ pods, rounds }: Group): string {
  const threads = busiestThreads(rounds).map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`);
  return `| ${pods} | ${threads.join(', ')} |`;
}

/** Median processor time in ms for each delete, of threads with at least 0.1 ms; the busiest first. */
export function busiestThreads(rounds: readonly Round[]): readonly { readonly name: string; readonly ms: number }[] {
  const each = (name: string) => median(rounds.map((one) => (one.threadMs[name] ?? 0) / Math.max(1, one.deleted)));
  return [...new Set(rounds.flatMap(({ threadMs }) => Object.keys(threadMs)))]
    .map((name) => ({ name, ms: each(name) }))
    .filter(({ ms }) => ms >= 0.1)
    .sort((a, b) => b.ms - a.ms);
}

function processorEach(round: Round): number {
  return ownProcessorMs(round) / Math.max(1, round.deleted);
}

function ownMemory({ peakMiB }: Round): number {
  return sum(
    Object.entries(peakMiB).flatMap(([part, mib]) => (['etcd', 'kube-apiserver'].includes(part) ? [] : [mib])),
  );
}

function mostInASecond({ times }: Round): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
