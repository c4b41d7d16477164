// Projects an EvictionPolicy of sluice.dev/v1alpha1.
import type {
  AtOnce,
  Canary,
  EvictionLimits,
  EvictionPolicy,
  EvictionWindow,
  PolicySelector,
  TaintSource,
} from '../../model/policy.ts';
import { cautionOf } from './projectCaution.ts';
import { waysIn } from './projectWays.ts';
import {
  annotationsOf,
  metaOf,
  noIdentity,
  numberOf,
  objectOf,
  type Problems,
  type Projected,
  present,
  type Reader,
  readerOf,
  unreadable,
} from './read.ts';

/** An unreadable policy holds the taints it selects, as far as its selector is readable. */
export function projectPolicy(value: unknown): Projected<EvictionPolicy> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('EvictionPolicy', value, { problems: noIdentity });
  const { namespace: _, ...identity } = meta;
  const problems: Problems = [];
  const spec = readerOf(object, problems).object('spec') ?? readerOf({}, problems, 'spec');
  const generation = numberOf(objectOf(object.metadata).generation) ?? 0;
  const common = { kind: 'EvictionPolicy', ...identity, generation, taints: selectorOf(spec) } as const;
  const rest = present<Omit<Required<EvictionPolicy>, keyof typeof common | FoundLater>>({
    evictionsPerSecond: spec.optionalNumber('evictionsPerSecond'),
    burst: spec.optionalNumber('burst'),
    maxEvictionsPerSecond: spec.optionalNumber('maxEvictionsPerSecond'),
    paused: spec.members.paused === true || undefined,
    pauseOnly: pauseOnlyOf(spec),
    windows: spec.members.windows === undefined ? undefined : spec.list('windows').map(windowOf),
    canary: canaryOf(spec),
    limits: limitsOf(spec),
    approval: approvalOf(spec),
    ...cautionOf(spec),
    ...waysIn(spec),
    annotations: annotationsOf(object),
  });
  if (problems.length === 0) return { kind: 'Projected', object: { ...common, ...rest } };
  return unreadable('EvictionPolicy', value, {
    problems,
    harmless: { ...common, ...(rest.pauseOnly ? { pauseOnly: true } : {}), unreadable: problems.join('; ') },
  });
}

type FoundLater = 'unreadable' | 'rival' | 'deserted' | 'isGone' | 'pausedBeside';

/** Settings beside it would have no effect. With another value it may have been meant to pause, and not to replace settings. */
function pauseOnlyOf(spec: Reader): true | undefined {
  const { pauseOnly = false } = spec.members;
  if (typeof pauseOnly !== 'boolean') spec.problem('pauseOnly is neither true nor false');
  if (pauseOnly !== true) return undefined;
  const others = Object.keys(spec.members).filter((name) => !['taints', 'paused', 'pauseOnly'].includes(name));
  if (others.length > 0) spec.problem(`pauseOnly cannot be combined with ${others.join(', ')}`);
  const { sources: named = [] } = selectorOf(spec);
  // Most taints of both kinds have one limiter, so a pause of the one alone would not hold its pods.
  if (named.includes('DeviceTaintSlice') && !named.includes('ResourceSlice'))
    spec.problem('pauseOnly with taints.sources DeviceTaintSlice needs ResourceSlice too');
  return true;
}

/** Each canary pod is a row that evictors read. */
const mostCanaryPods = 1000;

const sources: readonly string[] = ['DeviceTaintRule', 'PacedTaintRule', 'ResourceSlice', 'DeviceTaintSlice'];

function selectorOf(spec: Reader): PolicySelector {
  const taints = spec.object('taints') ?? readerOf({}, []);
  const named = textsOf(taints, 'sources');
  if (named?.some((one) => !sources.includes(one))) taints.problem('sources has a kind that puts no taints on devices');
  return present<Required<PolicySelector>>({
    keys: textsOf(taints, 'keys'),
    drivers: textsOf(taints, 'drivers'),
    sources: named?.filter((one): one is TaintSource => sources.includes(one)),
  });
}

function textsOf(reader: Reader, name: string): readonly string[] | undefined {
  const value = reader.members[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  reader.problem(`${name} is not a list of texts`);
  return undefined;
}

function windowOf(window: Reader): EvictionWindow {
  return {
    schedule: window.text('schedule'),
    duration: window.duration('duration'),
    ...present<{ timeZone: string }>({ timeZone: window.optionalText('timeZone') }),
  };
}

/** An unknown value is an error: it may have been intended to hold pods. */
function approvalOf(spec: Reader): EvictionPolicy['approval'] {
  const approval = spec.optionalText('approval');
  if (approval !== undefined && approval !== 'Required') spec.problem(`approval "${approval}" is not Required`);
  return approval === 'Required' ? approval : undefined;
}

function canaryOf(spec: Reader): Canary | undefined {
  const canary = spec.object('canary');
  if (!canary) return undefined;
  const pods = canary.optionalNumber('pods');
  if (pods === undefined || !Number.isInteger(pods) || pods < 1 || pods > mostCanaryPods)
    canary.problem(`pods is no whole number from 1 to ${mostCanaryPods}`);
  return { pods: pods ?? 0, hold: canary.duration('hold') };
}

function limitsOf(spec: Reader): EvictionLimits | undefined {
  const limits = spec.object('limits');
  return (
    limits &&
    present<Required<EvictionLimits>>({
      maxPods: limits.optionalNumber('maxPods'),
      maxNamespaces: limits.optionalNumber('maxNamespaces'),
      maxPercent: percentageOf(limits),
      maxPerNode: atOnceOf(limits, 'maxPerNode'),
      maxPerWorkload: atOnceOf(limits, 'maxPerWorkload'),
      maxPerPool: atOnceOf(limits, 'maxPerPool'),
    })
  );
}

function percentageOf(limits: Reader): number | undefined {
  const percent = limits.optionalNumber('maxPercent');
  if (percent !== undefined && (!Number.isInteger(percent) || percent < 1 || percent > 100))
    limits.problem(`maxPercent ${percent} is no whole number from 1 to 100`);
  return percent;
}

/** An IntOrString: a count, or a percentage such as 10%. */
function atOnceOf(limits: Reader, name: string): AtOnce | undefined {
  const value = limits.members[name];
  if (value === undefined || value === null) return undefined;
  const count = numberOf(value);
  if (count !== undefined && Number.isInteger(count) && count >= 1) return { count };
  if (typeof value === 'string' && /^(100|[1-9]\d?)%$/.test(value)) return { percent: Number.parseInt(value, 10) };
  limits.problem(`${name} is ${JSON.stringify(value)}, which is neither a whole number from 1 on nor 1% to 100%`);
  return undefined;
}
