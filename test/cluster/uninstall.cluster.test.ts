// The commands of docs/uninstall.md as they are written: afterwards the cluster holds what it held before.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectedFromLabel } from '../../lib/model/rule.ts';
import { renderManifests } from './support/chart.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { waitFor } from './support/waitFor.ts';

const root = path.join(import.meta.dirname, '..', '..');
const page = readFileSync(path.join(root, 'docs', 'uninstall.md'), 'utf8');
const commands = [...page.matchAll(/^kubectl (.*)$/gm)].map(([, words = '']) => words);

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({
    components: ['kcm'],
    controllers: ['namespace-controller', 'garbage-collector-controller'],
  });
});
afterAll(async () => {
  await controlPlane?.stop();
});

/** `kubectl` with an answer of success; files of the project by their paths in it. */
async function must(words: readonly string[], stdin?: string): Promise<string> {
  const args = words.map((word) => (word.startsWith('deploy/') ? path.join(root, word) : word));
  const { status, stdout, stderr } = await controlPlane.kubectl(args, stdin);
  expect(status, `kubectl ${words.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

/** All objects of all kinds; Events, leases and endpoints come and go by themselves. */
async function inventory(): Promise<readonly string[]> {
  const kinds = (await must(['api-resources', '--verbs=list', '-o', 'name']))
    .split('\n')
    .filter((kind) => kind !== '' && !/^(events|leases|endpoints|endpointslices|componentstatuses)\b/.test(kind));
  const columns = '-o=custom-columns=:.kind,:.metadata.namespace,:.metadata.name';
  const listed = await must(['get', kinds.join(','), '-A', '--no-headers', columns]);
  return [...new Set(listed.split('\n').filter((line) => line.trim() !== ''))].sort();
}

describe('docs/uninstall.md', () => {
  it('docs/uninstall.md leaves nothing of the chart, the roles, the definitions and the rules in the cluster', async () => {
    const before = await inventory();
    await must(['create', 'namespace', 'sluice']);
    await must(['apply', '-f', '-'], Object.values(renderManifests()).join('---\n'));
    await must([
      'apply',
      '-f',
      'deploy/outbound',
      '-f',
      'deploy/optional',
      '-f',
      'deploy/chart/crds',
      '-f',
      'deploy/policies',
    ]);
    await must(['wait', '--for=condition=Established', '--timeout=30s', '-f', 'deploy/chart/crds']);
    for (const folder of ['paced-taint-rule', 'eviction-policy', 'device-taint-slice'])
      await must(['apply', '-f', `deploy/examples/${folder}`]);
    const uid = await must(['get', 'pacedtaintrules', 'one-device', '-o', 'jsonpath={.metadata.uid}']);
    const owner = { apiVersion: 'sluice.dev/v1alpha1', kind: 'PacedTaintRule', name: 'one-device', uid };
    const projected = {
      apiVersion: 'resource.k8s.io/v1beta2',
      kind: 'DeviceTaintRule',
      metadata: { name: 'projected', labels: { [projectedFromLabel]: uid }, ownerReferences: [owner] },
      spec: { deviceSelector: { driver: 'gpu.example.com' }, taint: { key: 'example.com/bad', effect: 'NoSchedule' } },
    };
    await must(['apply', '-f', '-'], JSON.stringify(projected));
    expect((await inventory()).length).toBeGreaterThan(before.length + 20);

    for (const words of commands) await must(words.split(' '));
    const left = await waitFor(async () => {
      const now = await inventory();
      return now.length <= before.length ? now : undefined;
    });
    expect(left).toEqual(before);
  });

  it('docs/uninstall.md names every folder of deploy that is applied to a cluster', () => {
    for (const folder of ['manifests', 'outbound', 'optional', 'chart/crds', 'policies'])
      expect(
        commands.some((one) => one.endsWith(`-f deploy/${folder}`)),
        folder,
      ).toBe(true);
  });
});
