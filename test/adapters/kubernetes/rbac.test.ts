// The roles in deploy/ grant what the code needs and nothing else.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  functionRules,
  type PolicyRule,
  probeRules,
  projectionRules,
  releaseRules,
  renderRbac,
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
  it.each([
    ['manifests/watcher-rbac.yaml', watcherRules, { kind: 'ServiceAccount', name: 'sluice-watcher' }],
    ['manifests/functions-rbac.yaml', functionRules, { kind: 'Group', name: 'sluice' }],
    ['outbound/executor-rbac.yaml', functionRules, { kind: 'ServiceAccount', name: 'sluice-executor' }],
    ['optional/projection-rbac.yaml', projectionRules, { kind: 'Group', name: 'sluice' }],
    ['optional/probe-rbac.yaml', probeRules, { kind: 'Group', name: 'sluice' }],
    ['optional/release-rbac.yaml', releaseRules, { kind: 'Group', name: 'sluice' }],
  ])('%s grants exactly what the code lists, to its own subject', (file, rules, subject) => {
    const [role, binding] = manifestsOf(file);
    expect(role).toMatchObject({ kind: 'ClusterRole', rules });
    expect(binding).toMatchObject({
      kind: 'ClusterRoleBinding',
      roleRef: { kind: 'ClusterRole', name: role?.metadata.name },
      subjects: [subject],
    });
  });

  it('the watcher writes nothing', () => {
    const verbs = watcherRules.flatMap((rule) => rule.verbs);
    expect(new Set(verbs)).toEqual(new Set(['list', 'watch']));
  });
});

describe('the role of a local run', () => {
  const [role, probe] = parseAllDocuments(renderRbac()).map((document) => document.toJS() as Manifest);
  const granted = (resource: string) => role?.rules?.filter((rule) => rule.resources.includes(resource));

  it('comes with another for the probe, which people may leave unbound', () => {
    expect(probe).toMatchObject({ metadata: { name: 'sluice-probe' }, rules: probeRules });
  });

  it('has one rule per resource with all verbs', () => {
    expect(granted('pods')).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['delete', 'list', 'watch'] }]);
    expect(granted('devicetaintrules')).toEqual([
      { apiGroups: ['resource.k8s.io'], resources: ['devicetaintrules'], verbs: ['get', 'list', 'watch'] },
    ]);
  });

  it('creates nothing but Events and evictions, and uses no wildcard', () => {
    const creating = role?.rules?.filter((rule) => rule.verbs.includes('create')).flatMap((rule) => rule.resources);
    expect(creating).toEqual(['events', 'pods/eviction']);
    expect(JSON.stringify(role?.rules)).not.toContain('*');
  });

  it('is the same whatever the order of its parts', () => {
    expect(unionOf(functionRules, watcherRules)).toEqual(unionOf(watcherRules, functionRules));
  });
});
