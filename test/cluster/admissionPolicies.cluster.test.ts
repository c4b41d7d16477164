// The admission policies of deploy/policies at a real API server: what each refuses, with its text, and what it must accept.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Attempt, accepted, edits, kept, refused } from './support/admissionCases.ts';
import { annotated, claim, everyDevice, ofCluster, rule, template } from './support/admissionObjects.ts';
import { type ControlPlane, type KubectlResult, startControlPlane } from './support/controlPlane.ts';
import { waitFor } from './support/waitFor.ts';

const deploy = path.join(import.meta.dirname, '..', '..', 'deploy');
const policies = path.join(deploy, 'policies');
const member = ['--as=ann', '--as-group=sluice-admins', '--as-group=testers'];
const other = ['--as=bob', '--as-group=testers'];

const settings = [
  ofCluster('ConfigMap', 'sluice-toleration-keys', {
    data: { research: 'example.com/*, drain', closed: '', open: '*', _default: 'example.com/maintenance' },
  }),
  ofCluster('ConfigMap', 'sluice-annotation-writers', {
    data: { rules: 'system:masters\nsluice-admins\n', claims: 'system:masters\nsluice-admins' },
  }),
];

let controlPlane: ControlPlane;

async function must(args: readonly string[], stdin?: string): Promise<string> {
  const { status, stdout, stderr } = await controlPlane.kubectl(args, stdin);
  expect(status, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}
const tryOut = ({ manifest, by = [] }: Attempt): Promise<KubectlResult> =>
  controlPlane.kubectl(['create', '--dry-run=server', '-f', '-', ...by], JSON.stringify(manifest));

beforeAll(async () => {
  controlPlane = await startControlPlane({
    components: ['kcm'],
    controllers: ['resourceclaim-controller', 'validatingadmissionpolicy-status-controller'],
    environment: { RUNTIME_CONFIG: 'resource.k8s.io/v1beta1=true,resource.k8s.io/v1alpha3=true' },
  });
  for (const name of ['sluice', 'research', 'closed', 'open', 'elsewhere']) await must(['create', 'namespace', name]);
  const rights = ['--verb=*', '--resource=*.resource.k8s.io,*.sluice.dev'];
  await must(['create', 'clusterrole', 'testers', ...rights]);
  await must(['create', 'clusterrolebinding', 'testers', '--clusterrole=testers', '--group=testers']);
  await must(['apply', '-f', path.join(deploy, 'chart', 'crds')]);
  await must(['wait', '--for=condition=Established', '--timeout=30s', '-f', path.join(deploy, 'chart', 'crds')]);
  // Stored before there were policies.
  await must(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: kept }));
  await must(['apply', '-f', policies]);
  await must(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: settings }));
  // A policy acts once the API server has seen it, its binding and its parameter.
  for (const policy of Object.values(refused)) {
    const first = Object.values(policy)[0];
    if (first) await waitFor(async () => ((await tryOut(first(member, other))).status === 0 ? undefined : true));
  }
});
afterAll(async () => {
  await controlPlane?.stop();
});

describe.each(Object.entries(refused))('%s refuses', (policy, attempts) => {
  it.each(Object.entries(attempts))('the admission policy refuses an object: %s', async (_, attempt) => {
    const { status, stderr } = await tryOut(attempt(member, other));
    expect(status).not.toBe(0);
    expect(stderr).toContain(`'${policy}.sluice.dev'`);
    expect(stderr).toMatchSnapshot();
  });
});

describe.each(Object.entries(accepted))('%s accepts', (_, attempts) => {
  it.each(Object.entries(attempts))('the admission policy accepts an object: %s', async (__, attempt) => {
    expect((await tryOut(attempt(member, other))).stderr).toBe('');
  });
});

describe('an object that is stored already', () => {
  it.each(edits(member, other).accepted)('an edit of a stored object is accepted: %s', async (_, args) => {
    expect((await controlPlane.kubectl([...args, '--dry-run=server'])).stderr).toBe('');
  });
  it.each(edits(member, other).refused)('an edit of a stored object is refused: %s', async (_, args) => {
    const { status, stderr } = await controlPlane.kubectl([...args, '--dry-run=server']);
    expect(status).not.toBe(0);
    expect(stderr).toMatchSnapshot();
  });
});

describe('the policies', () => {
  const documents = readdirSync(policies).flatMap((name) =>
    parseAllDocuments(readFileSync(path.join(policies, name), 'utf8')).map((one) => one.toJS()),
  );
  const names = documents
    .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    .map(({ metadata }) => metadata.name);

  it('every admission policy has a binding, cases of both kinds, and a row in docs/admission.md', () => {
    const bound = documents.filter(({ kind }) => kind === 'ValidatingAdmissionPolicyBinding');
    expect(bound.map(({ spec }) => spec.policyName)).toEqual(names);
    const plain = names.map((name) => name.replace('.sluice.dev', ''));
    expect(Object.keys(refused).sort()).toEqual(plain);
    expect(Object.keys(accepted).sort()).toEqual(plain);
    const page = readFileSync(path.join(deploy, '..', 'docs', 'admission.md'), 'utf8');
    for (const name of plain) expect(page).toContain(`](../deploy/policies/${name}.yaml)`);
  });

  it.each(names)('admission policy %s has no expression that the API server warns about', async (name) => {
    const checked = await waitFor(async () => {
      const { status } = JSON.parse(await must(['get', 'validatingadmissionpolicy', name, '-o', 'json']));
      return status?.typeChecking;
    });
    expect(checked).toEqual({});
  });

  it('the admission policies let the claim controller create the claims of an annotated template', async () => {
    const made = [
      template([], { namespace: 'open', name: 'annotated', annotations: annotated('{"gpu":[{"key":"x"}]}') }),
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'user', namespace: 'open' },
        spec: {
          containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'gpu' }] } }],
          resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'annotated' }],
        },
      },
    ];
    await must(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: made }));
    const words = ['get', 'resourceclaims', '-n', 'open', '-o', 'jsonpath={.items[*].metadata.annotations}'];
    const seen = await waitFor(async () => (await must(words)) || undefined);
    expect(seen).toContain('sluice.dev/tolerations');
  });

  it('the admission policies are removed by the command of the page', async () => {
    await must(['delete', '-f', policies]);
    const tried = () => tryOut({ manifest: rule({ ...everyDevice }) });
    await waitFor(async () => ((await tried()).status === 0 ? true : undefined));
    expect((await tryOut({ manifest: claim([{ operator: 'Exists' }], { namespace: 'closed' }) })).stderr).toBe('');
  });
});
