// Rules that exist in the demo cluster and not yet in the state table, so that a frame shows at once what kubectl has created.
import type { Milliseconds } from '../../model/time.ts';
import type { ClusterProgress, LimiterProgress } from '../../view/progress.ts';
import { type KubeObject, listAt, mapAt, textAt } from '../cluster/object.ts';

/** Sluice reads a rule within seconds; one that it does not take is no longer shown after this time. */
const young: Milliseconds = 15_000;

/** The same numbers, and before the other rules those that were created just now, as being evaluated. */
export function withNewRules(progress: ClusterProgress, rules: readonly KubeObject[]): ClusterProgress {
  const isRead = ({ metadata }: KubeObject) =>
    progress.limiters.some(({ limiter }) => limiter.includes(metadata.uid ?? ''));
  const isYoung = ({ metadata }: KubeObject) =>
    progress.at - Date.parse(metadata.creationTimestamp ?? '') < young && metadata.deletionTimestamp === undefined;
  const found = rules.filter((rule) => isYoung(rule) && evicts(rule) && !isRead(rule)).map(limiterOf);
  return found.length === 0 ? progress : { ...progress, limiters: [...found, ...progress.limiters] };
}

function taintsOf(rule: KubeObject): readonly unknown[] {
  return rule.kind === 'PacedTaintRule' ? listAt(rule, 'spec', 'taints') : [mapAt(rule, 'spec', 'taint')];
}

function evicts(rule: KubeObject): boolean {
  return taintsOf(rule).some((taint) => textAt(taint, 'effect') === 'NoExecute');
}

function limiterOf(rule: KubeObject): LimiterProgress {
  const texts = taintsOf(rule).map((taint) => `${textAt(taint, 'key')}:${textAt(taint, 'effect')}`);
  return {
    limiter: `rule|${rule.metadata.uid}`,
    kind: 'Rule',
    name: rule.metadata.name,
    place: `${rule.kind} ${rule.metadata.name}`,
    selector: '',
    taint: texts.join(', '),
    effect: 'NoExecute',
    rate: { perSecond: 0, burst: 0 },
    state: 'NotStarted',
    counts: { evicted: 0, deleting: 0, pending: 0, waiting: 0 },
    total: 0,
    isPartial: false,
    isEvaluating: true,
    perSecond: [],
  };
}
