// The chart on a real control plane: every object is accepted, and its roles grant what the watcher needs and nothing else.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { esbuildOptions } from '../../infra/bundling.ts';
import { evictRules, reportRules, unionOf, watcherRules } from '../../lib/adapters/kubernetes/rbac.ts';
import { type LocalSqs, startLocalSqs } from '../../lib/local/aws/queues.ts';
import { helm, helmWith, renderManifests, renderOutbound } from './support/chart.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { startWatcherBundle } from './support/watcherBundle.ts';

const deployed = path.join(import.meta.dirname, '..', '..', 'deploy');
const [manifests, outbound, crds] = ['manifests', 'outbound', 'chart/crds'].map((one) => path.join(deployed, one)) as [
  string,
  string,
  string,
];

/** Group, verb, resource and subresource of all that evict and report do. */
const askedOfFunctions = (
  [
    ['sluice-evict', evictRules],
    ['sluice-report', reportRules],
  ] as const
).flatMap(([group, rules]) =>
  unionOf(rules).flatMap(({ resources, verbs, apiGroups }) =>
    resources.flatMap((resource) =>
      verbs.map(
        (verb) =>
          [
            group,
            verb,
            apiGroups[0] ? `${resource.split('/')[0]}.${apiGroups[0]}` : resource.split('/')[0],
            resource.split('/')[1] ?? '',
          ] as const,
      ),
    ),
  ),
);

function keeps(folder: string, rendered: Readonly<Record<string, string>>): void {
  const kept = readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]);
  expect(Object.fromEntries(kept), 'render them: npm run manifests').toEqual(rendered);
}

describe('the chart', () => {
  it('the chart passes the strict lint', () => {
    const { status, stdout, stderr } = helm('lint');
    expect(status, stdout + stderr).toBe(0);
  });

  it('deploy/manifests and deploy/outbound are rendered from the chart', () => {
    keeps(manifests, renderManifests());
    keeps(outbound, renderOutbound());
  });

  it.each([
    ['queueUrl=nonsense', /queueUrl.*pattern/],
    ['healthPort=80', /healthPort/],
    ['image=sluice:0.1.0', /image.*sha256/],
    ['image=sluice@sha256:1', /image.*sha256/],
    ['replica=2', /replica/],
  ])('the chart refuses %s and names the value', (value, said) => {
    const { status, stderr } = helm('template', [value]);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(said);
  });

  it('the chart refuses to render without the values that have no default, and names each with the way to set it', () => {
    const { status, stderr } = helmWith('template', ['--set', 'executor.enabled=true']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('image is not set: --set image=NAME@sha256:DIGEST');
    expect(stderr).toContain('queueUrl is not set: --set queueUrl=URL');
    expect(stderr).toContain('executor.environment is not set: --set-json executor.environment=JSON');
  });

  it.each([
    ['the groups of the functions', [], /must name the group sluice-evict, that of the report role\nsluice-report\./],
    [
      'the outbound mode',
      ['executor.enabled=true', 'executor.environment={"A":"b"}'],
      /The executor evicts from within/,
    ],
  ])('the notes of the chart name %s, the queue, and the command that shows the rollout', (_, values, said) => {
    const { status, stdout, stderr } = helm('install', values);
    expect(status, stderr).toBe(0);
    const notes = stdout.slice(stdout.indexOf('NOTES:'));
    expect(notes).toMatch(said);
    expect(notes).toContain('https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-ingest-example');
    expect(notes).toContain('kubectl rollout status deployment/sluice-watcher --namespace sluice');
    expect(notes).not.toContain('<no value>');
  });

  it('the chart starts the image of the given digest, and leaves out objects that are switched off', () => {
    const image = `registry.example.com:5000/a/sluice@sha256:${'a'.repeat(64)}`;
    const { stdout } = helm('template', [
      `image=${image}`,
      'rbac.functions=false',
      'networkPolicy.enabled=false',
      'podDisruptionBudget.enabled=false',
    ]);
    expect(stdout).toContain(`image: ${image}\n`);
    expect(stdout.match(/^kind: .*$/gm)).toEqual([
      'kind: ServiceAccount',
      'kind: ClusterRole',
      'kind: ClusterRoleBinding',
      'kind: Deployment',
    ]);
  });
});

describe('the installed chart', () => {
  let controlPlane: ControlPlane;
  let sqs: LocalSqs;
  let bundle: string;
  let queueUrl: string;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ components: [] });
    sqs = await startLocalSqs();
    bundle = path.join(controlPlane.folder, 'watcher.mjs');
    await build({ ...esbuildOptions('bin/watcher.ts'), outfile: bundle });
    await controlPlane.kubectl(['create', 'namespace', 'sluice']);
    // What is not served is neither asked for by the watcher nor known to `kubectl auth can-i`.
    await controlPlane.kubectl(['apply', '-f', crds]);
    await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=30s', '-f', crds]);
    const queueOf = (name: string) => ({ logicalId: name, name, visibilityTimeout: 30, attributes: {} });
    const queues = await sqs.createQueues(['Sluice-ingest-local', 'Sluice-resend-local'].map(queueOf));
    queueUrl = queues.get('Sluice-ingest-local')?.url ?? '';
  });
  afterAll(async () => {
    await sqs?.stop();
    await controlPlane?.stop();
  });

  const apply = async () => {
    const text = Object.values(renderManifests()).join('---\n');
    return controlPlane.kubectl(['apply', '--server-side', '--force-conflicts', '--validate=strict', '-f', '-'], text);
  };
  const startWatcher = async () => {
    const { stdout: token } = await controlPlane.kubectl(['create', 'token', 'sluice-watcher', '-n', 'sluice']);
    return startWatcherBundle({ controlPlane, bundle, token: token.trim(), queueUrl, sqsEndpoint: sqs.endpoint });
  };

  it('every object of the chart is accepted with strict validation, and a second apply would change nothing', async () => {
    const first = await apply();
    expect(first.status, first.stderr).toBe(0);
    const kinds = Object.values(renderManifests()).flatMap((text) =>
      parseAllDocuments(text).map((one) => one.get('kind')),
    );
    expect(first.stdout.trim().split('\n')).toHaveLength(kinds.length);
    const found = await controlPlane.kubectl(['get', 'deployment,pdb,networkpolicy', '-n', 'sluice', '-o', 'name']);
    expect(found.stdout.trim().split('\n').sort()).toEqual([
      'deployment.apps/sluice-watcher',
      'networkpolicy.networking.k8s.io/sluice-watcher',
      'poddisruptionbudget.policy/sluice-watcher',
    ]);
    const again = await controlPlane.kubectl(['diff', '-f', '-'], Object.values(renderManifests()).join('---\n'));
    expect(again.status, again.stdout + again.stderr).toBe(0);
  });

  it('pods of the chart are admitted where the restricted Pod Security Standard is enforced', async () => {
    const label = ['label', 'namespace', 'sluice', 'pod-security.kubernetes.io/enforce=restricted', '--overwrite'];
    await controlPlane.kubectl(label);
    const { stdout } = await controlPlane.kubectl([
      'get',
      'deployment',
      'sluice-watcher',
      '-n',
      'sluice',
      '-o',
      'json',
    ]);
    const { spec } = JSON.parse(stdout) as { spec: { template: { metadata: object; spec: object } } };
    const { metadata, spec: podSpec } = spec.template;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata, name: 'probe', namespace: 'sluice' },
      spec: podSpec,
    };
    const made = await controlPlane.kubectl(['create', '--dry-run=server', '-f', '-'], JSON.stringify(pod));
    expect(made.status, made.stderr).toBe(0);
  });

  it('the watcher becomes ready with exactly the rights of its role', async () => {
    const watcher = await startWatcher();
    await watcher.untilReady();
    expect(await watcher.get('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    await watcher.stop();
  });

  it.each(
    watcherRules.flatMap(({ resources, verbs }) =>
      resources.flatMap((resource) => verbs.map((verb) => [verb, resource] as const)),
    ),
  )('a watcher without the verb %s on %s says what was refused', async (verb, resource) => {
    const rules = watcherRules.flatMap((rule) =>
      rule.resources.map((one) => ({
        ...rule,
        resources: [one],
        verbs: rule.verbs.filter((each) => one !== resource || each !== verb),
      })),
    );
    const role = { rules: rules.filter((rule) => rule.verbs.length > 0) };
    await controlPlane.kubectl(['patch', 'clusterrole', 'sluice-watcher', '--type=merge', '-p', JSON.stringify(role)]);
    const watcher = await startWatcher();
    try {
      await watcher.untilItSays(new RegExp(`403.*${resource}`));
    } finally {
      await watcher.stop();
      await apply();
    }
  });

  it.each(askedOfFunctions)(
    'the chart allows the group %s to %s %s %s',
    async (group, verb, resource = '', subresource) => {
      const sub = subresource === '' ? [] : [`--subresource=${subresource}`];
      const asked = await controlPlane.kubectl([
        'auth',
        'can-i',
        verb,
        resource,
        ...sub,
        '--as=role',
        `--as-group=${group}`,
      ]);
      expect(asked.stdout.trim()).toBe('yes');
    },
  );

  it.each([
    ['sluice-evict', 'watch', 'pods'],
    ['sluice-evict', 'update', 'pods'],
    ['sluice-evict', 'get', 'secrets'],
    ['sluice-evict', 'delete', 'resourceclaims.resource.k8s.io'],
    ['sluice-evict', 'create', 'pods'],
    ['sluice-evict', 'delete', 'evictionstops.sluice.dev'],
    ['sluice-evict', 'create', 'devicetaintrules.resource.k8s.io'],
    ['sluice-report', 'delete', 'pods'],
    ['sluice-report', 'patch', 'pods/status'],
    ['sluice-report', 'create', 'pods/eviction'],
    ['sluice-projection', 'create', 'devicetaintrules.resource.k8s.io'],
    ['sluice-release', 'patch', 'resourceclaims/status.resource.k8s.io'],
    ['sluice', 'delete', 'pods'],
  ])('the chart does not allow the group %s to %s %s', async (group, verb, resource) => {
    const asked = await controlPlane.kubectl(['auth', 'can-i', verb, resource, '--as=role', `--as-group=${group}`]);
    expect(asked.stdout.trim()).toBe('no');
  });
});
