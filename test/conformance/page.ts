// docs/conformance.md: what was compared, how often, and what came out.
import { declared } from './declared.ts';

export interface Result {
  readonly cases: number;
  readonly seed: number;
  readonly undeclared: number;
  /** Cases with a difference that is declared, by its name. */
  readonly declared: Readonly<Record<string, number>>;
  readonly kubernetes: string;
  readonly evictedPods: number;
  readonly steps: number;
}

export function renderPage({ cases, seed, kubernetes, evictedPods, steps, ...found }: Result): string {
  const rows = declared.map(
    ({ name, why, adr }) => `| ${name} | ${why} | [${adr}](adr/${adr}) | ${found.declared[name] ?? 0} |`,
  );
  const table =
    rows.length === 0
      ? ['None.']
      : ['| difference | why | decision | cases of this run |', '|---|---|---|---|', ...rows];
  return [
    '# Conformance',
    '',
    '`npm run conformance` plays random worlds and histories twice on real API servers: once with the in-tree',
    'device-taint-eviction-controller and without Sluice, once the other way round. It writes this page.',
    '',
    '| | last run |',
    '|---|---|',
    `| command | \`npm run conformance -- --cases ${cases} --seed ${seed}\` |`,
    `| Kubernetes | ${kubernetes} |`,
    `| cases | ${cases}, with ${steps} steps after their beginning |`,
    `| pods evicted by the in-tree controller | ${evictedPods} |`,
    `| cases with an undeclared difference | ${found.undeclared} |`,
    '',
    '## What is compared',
    '',
    'At rest, after the last step: which pods are deleted; their `DisruptionTarget` condition (status, reason, message); each',
    "rule's `EvictionInProgress` condition (status, reason, message, observedGeneration); that no pod with a toleration of some",
    'seconds went earlier than under the in-tree controller; and that both API servers gave every step the same answer.',
    '',
    'A world has up to two pools with four devices, three claims of one or two devices (some by a prioritized alternative, with',
    'tolerations of every form, shared, with stale entries), four pods (some not bound), taints by slices and by rules with',
    'every selector. A history has up to five steps: taints come, change and go, pools are published anew or vanish, rules are',
    'added, edited and deleted, pods are added, bound and deleted, claims are allocated, reserved, released and deallocated.',
    'One world in fifty has a rule over every device of the cluster and is played alone.',
    '',
    'Steps are taken on both sides together and one at a time: a step begins when both have dealt with the one before.',
    '',
    '## Declared differences',
    '',
    ...table,
    '',
  ].join('\n');
}
