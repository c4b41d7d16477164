// What a comparison found, as figures, as text for a person, and as docs/reference/conformance.md.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Outcome } from './batch.ts';
import { declared } from './declared.ts';
import { describeHistory } from './shrink.ts';

export interface Figures {
  readonly histories: number;
  readonly seed: number;
  readonly changes: number;
  readonly pods: number;
  /** Pods that Sluice evicted; where nothing differs, the in-tree controller too. */
  readonly evicted: number;
  readonly undeclared: number;
  /** Histories by declared difference. */
  readonly declared: Readonly<Record<string, number>>;
  readonly seconds: number;
}

export function addUp(outcomes: readonly Outcome[], run: { readonly seed: number; readonly seconds: number }): Figures {
  const sum = (of: (one: Outcome) => number) => outcomes.reduce((total, one) => total + of(one), 0);
  return {
    histories: outcomes.length,
    seed: run.seed,
    changes: sum(({ history }) => history.changes.length),
    pods: sum((one) => one.pods),
    evicted: sum((one) => one.evicted),
    undeclared: sum((one) => (one.undeclared.length > 0 ? 1 : 0)),
    declared: Object.fromEntries(
      declared.map((kind) => [kind.name, sum((one) => (one.declared.some(({ by }) => by === kind) ? 1 : 0))]),
    ),
    seconds: run.seconds,
  };
}

export function describeOutcome(title: string, { history, undeclared, problems }: Outcome): string {
  const lines = undeclared.map(
    ({ what, of, when, inTree, sluice }) => `  ${when}: ${what} ${of}\n    in-tree: ${inTree}\n    Sluice:  ${sluice}`,
  );
  const said = problems.slice(-5).map((problem) => `  Sluice said: ${problem}`);
  return [`== ${title}`, ...lines, describeHistory(history), ...said].join('\n');
}

const file = path.join(import.meta.dirname, '..', '..', 'docs', 'reference', 'conformance.md');

export function writePage(figures: Figures): void {
  const rows = declared.map(
    ({ name, inTree, sluice, adr }) =>
      `| \`${name}\` | ${inTree} | ${sluice} | [ADR ${adr.slice(0, 4)}](../adr/${adr}) | ${figures.declared[name] ?? 0} |`,
  );
  writeFileSync(
    file,
    `# Conformance with the in-tree controller

This page is written by \`npm run conformance -- --cases N --seed S --page\`.

Random histories are played twice against real API servers of Kubernetes v1.37.1: on one the device-taint-eviction-controller of kube-controller-manager evicts,
on the other Sluice does: its real watcher, steps and adapters, over a table and queues in memory, with the largest rate that a rule can have. After
every change both sides come to rest and are compared: which pods were deleted, their condition DisruptionTarget, and at the end every rule's condition
(status, reason, message). For pods whose time comes in between it is also checked on both sides that none went before it.

## The last recorded run

| figure | value |
|---|---|
| histories | ${figures.histories} |
| seed | ${figures.seed} |
| changes after the creation of the objects | ${figures.changes} |
| pods, those evicted | ${figures.pods}, ${figures.evicted} |
| histories with an undeclared difference | ${figures.undeclared} |
| duration | ${figures.seconds} s |
| Kubernetes | v1.37.1, gates GenericWorkload and DRAWorkloadResourceClaims on |
| Sluice's settings | upstream's, with \`workloadClaims\` and \`extendedResourceClaims\` |

## Declared differences

| name | in-tree controller | Sluice | decision | histories of this run |
|---|---|---|---|---|
${rows.join('\n')}

A history is made by \`test/conformance/arbitraries.ts\`: up to six slices in four pools, three rules, four claims and four pods in two namespaces, and up to five changes. Claims
are written as the scheduler would write them, some with admin access or a share of a device; neither it nor a kubelet runs, so that an evicted pod stays to be looked at.

Two things are not generated. The in-tree controller crashes where workload claims are on and the template claim of a pod outside any group belongs to another owner
else, and it takes an arbitrary one of two devices of one name in a generation ([ADR 0003](../adr/0003-upstream-defects.md)); both leave nothing to compare with.

A difference is printed with the shortest history that still shows it. Exit status: 0 without an undeclared difference, 1 with one, 2 when the two clusters could not be set up.
Such a history can be played again, from a file: \`--history FILE\`.
That the comparison can fail is a test of its own: \`--plant emptyEffectTolerates\` gives Sluice a setting that departs from upstream, and the command has to report it.
\`--plant extendedResourceClaims\` turns that setting off, as the setting of an installation does: then Sluice leaves those pods alone, too, and nothing of it is left to declare.
`,
  );
}
