// The roles in deploy/ grant what the code needs and nothing else.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  evictRules,
  type PolicyRule,
  probeRules,
  projectionRules,
  releaseRules,
  renderRbac,
  reportRules,
  unionOf,
  watcherRules,
} from '../../../lib/adapters/kubernetes/rbac.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly PolicyRule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
}

function manifestsOf(file: string): readonly Manifest[] {
  const text = readFileSync(new URL(`../../../deploy/${file}`, import.meta.url), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

describe('deploy/', () => {
  const executor = { kind: 'ServiceAccount', name: 'sluice-executor' };
  const group = (name: string) => ({ kind: 'Group', name });

  it.each([
    ['manifests/watcher-rbac.yaml', [[watcherRules, { kind: 'ServiceAccount', name: 'sluice-watcher' }]]],
    [
      'manifests/functions-rbac.yaml',
      [
        [evictRules, group('sluice-evict')],
        [reportRules, group('sluice-report')],
      ],
    ],
    [
      'outbound/executor-rbac.yaml',
      [
        [evictRules, executor],
        [reportRules, executor],
      ],
    ],
    ['optional/projection-rbac.yaml', [[projectionRules, group('sluice-projection')]]],
    ['optional/probe-rbac.yaml', [[probeRules, group('sluice')]]],
    ['optional/release-rbac.yaml', [[releaseRules, group('sluice-release')]]],
  ] as const)('%s grants exactly what the code lists, each part to its own subject', (file, parts) => {
    const found = manifestsOf(file);
    expect(found).toHaveLength(2 * parts.length);
    const roles = found.filter(({ kind }) => kind === 'ClusterRole');
    const bindings = found.filter(({ kind }) => kind === 'ClusterRoleBinding');
    for (const [i, [rules, subject]] of parts.entries()) {
      const [role, binding] = [roles[i], bindings[i]];
      expect(role).toMatchObject({ rules });
      expect(binding).toMatchObject({
        roleRef: { kind: 'ClusterRole', name: role?.metadata.name },
        subjects: [subject],
      });
    }
  });

  it('only evict may write pods, and evict and report share no right to write but Events', () => {
    const written = (rules: readonly PolicyRule[]) =>
      unionOf(rules).flatMap(({ resources, verbs }) =>
        verbs.filter((verb) => !['list', 'watch'].includes(verb)).map((verb) => `${verb} ${resources[0]}`),
      );
    expect(written(evictRules).sort()).toEqual([
      'create events',
      'create pods/eviction',
      'delete pods',
      'patch pods/status',
    ]);
    expect(written(reportRules).filter((right) => right.includes('pods'))).toEqual([]);
    expect(written(evictRules).filter((right) => written(reportRules).includes(right))).toEqual(['create events']);
  });

  it('the watcher may only list and watch', () => {
    const verbs = watcherRules.flatMap((rule) => rule.verbs);
    expect(new Set(verbs)).toEqual(new Set(['list', 'watch']));
  });
});

it('no role has access to Leases', () => {
  const roles = [evictRules, probeRules, projectionRules, releaseRules, reportRules, watcherRules];
  const resources = roles.flatMap((rules) => rules.flatMap((rule) => rule.resources));
  expect(resources.length).toBeGreaterThan(20);
  expect(resources.filter((resource) => resource.startsWith('leases'))).toEqual([]);
});

describe('the role of a local run', () => {
  const [role, probe] = parseAllDocuments(renderRbac()).map((document) => document.toJS() as Manifest);
  const granted = (resource: string) => role?.rules?.filter((rule) => rule.resources.includes(resource));

  it('the role of a local run comes with a separate role for the probe', () => {
    expect(probe).toMatchObject({ metadata: { name: 'sluice-probe' }, rules: probeRules });
  });

  it('the role of a local run has one rule per resource with all verbs', () => {
    expect(granted('pods')).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['delete', 'list', 'watch'] }]);
    expect(granted('devicetaintrules')).toEqual([
      { apiGroups: ['resource.k8s.io'], resources: ['devicetaintrules'], verbs: ['list', 'watch'] },
    ]);
  });

  it('the role of a local run creates nothing but Events and evictions, and has no wildcard', () => {
    const creating = role?.rules?.filter((rule) => rule.verbs.includes('create')).flatMap((rule) => rule.resources);
    expect(creating).toEqual(['events', 'pods/eviction']);
    expect(JSON.stringify(role?.rules)).not.toContain('*');
  });

  it('the union of two lists of rules does not depend on their order', () => {
    expect(unionOf(evictRules, watcherRules)).toEqual(unionOf(watcherRules, evictRules));
  });
});
