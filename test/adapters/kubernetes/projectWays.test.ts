// Eviction modes of EvictionPolicies and Namespaces, as they are read; a mistake in a policy holds what it selects.
import { describe, expect, it } from 'vitest';
import { project } from '../../../lib/adapters/kubernetes/project.ts';

const metadata = { name: 'a', uid: 'uid-a', resourceVersion: '12', generation: 3 };
const identity = { name: 'a', uid: 'uid-a', resourceVersion: '12' };
const policy = (spec: object) => project('EvictionPolicy', { metadata, spec: { taints: { keys: ['k'] }, ...spec } });

describe('an EvictionPolicy', () => {
  it.each([
    [
      { mode: 'Evict', modeDeadline: '1h30m' },
      { mode: 'Evict', modeDeadline: 5_400_000 },
    ],
    [{ mode: 'Skip' }, { mode: 'Skip' }],
    [{ modeDeadline: '90s' }, { modeDeadline: 90_000 }],
    [{ order: 'DueTime' }, { order: 'DueTime' }],
    [{ order: 'PriorityThenAge' }, { order: 'PriorityThenAge' }],
    [{ groupBy: 'Workload' }, { groupBy: 'Workload' }],
    [{ groupBy: 'Replica' }, { groupBy: 'Replica' }],
    [{ gracePeriodSeconds: 0 }, { gracePeriodSeconds: 0 }],
    [{ gracePeriodSeconds: 86_400 }, { gracePeriodSeconds: 86_400 }],
  ])('mode, order, grouping and grace period of an EvictionPolicy are read: %j', (spec, kept) => {
    const common = { kind: 'EvictionPolicy', ...identity, generation: 3, taints: { keys: ['k'] } };
    expect(policy(spec)).toEqual({ kind: 'Projected', object: { ...common, ...kept } });
  });

  it.each([
    [{ mode: 'Drain' }, 'mode "Drain" is none of Delete, Evict, WaitForCompletion, Skip'],
    [{ mode: 7 }, 'mode'],
    [{ modeDeadline: 'soon' }, 'modeDeadline "soon" is no duration such as 90s or 8h of at most 8784h'],
    [{ gracePeriodSeconds: -1 }, 'gracePeriodSeconds -1 is no whole number from 0 to 86400'],
    [{ gracePeriodSeconds: 0.5 }, 'gracePeriodSeconds 0.5 is no whole number from 0 to 86400'],
    [{ gracePeriodSeconds: 86_401 }, 'gracePeriodSeconds 86401 is no whole number from 0 to 86400'],
    [{ gracePeriodSeconds: '5' }, 'gracePeriodSeconds'],
    [{ order: 'Oldest' }, 'order "Oldest" is none of PriorityThenAge, DueTime'],
    [{ groupBy: 'Namespace' }, 'groupBy "Namespace" is none of Workload, Replica'],
    [{ modeDeadline: '' }, 'modeDeadline "" is no duration'],
  ])('an EvictionPolicy with a wrong setting is unreadable and still selects its taints: %j', (spec, why) => {
    expect(policy(spec)).toMatchObject({
      kind: 'Unreadable',
      why: expect.stringContaining(why),
      harmless: { taints: { keys: ['k'] }, unreadable: expect.stringContaining(why) },
    });
  });
});

describe('a Namespace', () => {
  const namespace = (labels?: object) => project('Namespace', { metadata: { ...metadata, labels }, status: {} });

  it('a Namespace keeps its labels under sluice.dev and nothing else', () => {
    const labels = { 'sluice.dev/eviction-mode': 'Skip', 'kubernetes.io/metadata.name': 'a', 'not-sluice.dev/x': 'y' };
    expect(namespace(labels)).toEqual({
      kind: 'Projected',
      object: { kind: 'Namespace', ...identity, labels: { 'sluice.dev/eviction-mode': 'Skip' } },
    });
  });

  it.each([[undefined], [{}], [{ 'kubernetes.io/metadata.name': 'a' }]])(
    'a Namespace without labels under sluice.dev is read without labels: %j',
    (labels) => {
      expect(namespace(labels)).toEqual({ kind: 'Projected', object: { kind: 'Namespace', ...identity } });
    },
  );

  it('a Namespace keeps its pauses, and no other annotation', () => {
    const paused = { 'pause.sluice.dev/manual': 'audit', 'sluice.dev/paused': 'true' };
    const annotations = {
      ...paused,
      'sluice.dev/incarnation': '2',
      'sluice.dev/pausedx': '',
      'a/pause.sluice.dev/b': '',
    };
    expect(project('Namespace', { metadata: { ...metadata, annotations } })).toMatchObject({
      object: { annotations: paused },
    });
    const plain = { 'kubernetes.io/x': 'y' };
    expect(project('Namespace', { metadata: { ...metadata, annotations: plain } })).toEqual({
      kind: 'Projected',
      object: { kind: 'Namespace', ...identity },
    });
  });

  it('a Namespace without a name cannot be read', () => {
    expect(project('Namespace', { metadata: {} })).toMatchObject({ kind: 'Unreadable' });
  });
});
