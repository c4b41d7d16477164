// Commands of pages that need kubectl, Helm or access reviews, as they are written, on a real control plane.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentNames } from '../../lib/contract.ts';
import { projectedFromLabel } from '../../lib/model/rule.ts';
import { bundleInChunks } from '../../scripts/commandBundle.ts';
import { commandsAt } from '../commands/support/pageCommands.ts';
import { expectDone, type } from '../commands/support/typed.ts';
import { readText, root } from '../house/sources.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';

const mine = commandsAt('cluster');
const pages = [...new Set(mine.map(({ page }) => page))];
/** Those that install the chart begin with an empty cluster; the others change nothing that the next one needs. */
const installing = pages.filter((page) =>
  mine.some((one) => one.page === page && /^helm (install|uninstall)/.test(one.command)),
);
const firstInstall = mine.find(({ command }) => command.startsWith('helm install'))?.command ?? '';
const groups = [...installing.map((page) => [page]), pages.filter((page) => !installing.includes(page))];
const { version } = JSON.parse(readText('package.json')) as { version: string };

/** A command of a page with its placeholders replaced by values of this installation. */
function filled(command: string, kubeconfig: string): string {
  return (
    command
      .replace('oci://REGISTRY/REPOSITORY/charts/sluice', `chart/sluice-${version}.tgz`)
      .replace(
        /(REGISTRY\/REPOSITORY|<registry>\/sluice)@sha256:(DIGEST|<digest>)/,
        `r.example.com/sluice@sha256:${'a'.repeat(64)}`,
      )
      .replace('queueUrl=URL', 'queueUrl=https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-ingest-prod')
      .replace('https://sqs.…/', 'https://sqs.eu-west-1.amazonaws.com/123456789012/')
      .replace('VERSION', version)
      .replace('<file>', kubeconfig)
      .replace('<digest>', 'd1g35t')
      .replace('evictionpolicy NAME', 'evictionpolicy page')
      .replace('devicetaintrule NAME', 'devicetaintrule by-hand')
      // Exists in every cluster, and has no pods.
      .replace('namespace NAME', 'namespace kube-public')
  );
}

describe.each(groups.map((group) => [group.join(', '), group] as const))('the commands of %s', (_, group) => {
  let controlPlane: ControlPlane;
  let folder = '';
  let env: Readonly<Record<string, string | undefined>>;

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      components: ['kcm'],
      controllers: ['namespace-controller', 'garbage-collector-controller', 'root-ca-certificate-publisher-controller'],
    });
    folder = path.join(controlPlane.folder, 'reader');
    for (const name of ['bin', 'home', 'chart']) mkdirSync(path.join(folder, name), { recursive: true });
    symlinkSync(path.join(root, 'deploy'), path.join(folder, 'deploy'));
    await bundleInChunks(path.join(folder, 'program'));
    symlinkSync(path.join(folder, 'program', 'sluice.mjs'), path.join(folder, 'bin', 'sluice'));
    symlinkSync(process.env.SLUICE_HELM ?? '', path.join(folder, 'bin', 'helm'));
    const kubectl = `#!/bin/sh\nexec '${process.env.SLUICE_CONTROL_PLANE}' kubectl "$@"\n`;
    writeFileSync(path.join(folder, 'bin', 'kubectl'), kubectl, { mode: 0o755 });
    env = {
      PATH: [path.join(folder, 'bin'), path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter),
      HOME: path.join(folder, 'home'),
      KUBECONFIG: controlPlane.kubeconfig,
      ENVIRONMENT: JSON.stringify({
        [environmentNames.outboundCluster]: 'prod',
        [environmentNames.evictQueueUrl]: 'https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-evict-prod',
      }),
    };
    expectDone(await type('helm package deploy/chart --destination chart', { cwd: folder, env }));
    await seed(controlPlane);
    const commands = mine.flatMap(({ page, command }) => (group.includes(page) ? [command] : []));
    const begins = commands.find((one) => one.startsWith('helm '));
    if (begins?.startsWith('helm uninstall'))
      expectDone(await type(filled(firstInstall, controlPlane.kubeconfig), { cwd: folder, env }));
    // An installation has these roles; a page asks for the rights that they give.
    if (!commands.some((one) => one.startsWith('helm ')))
      expectDone(await type('kubectl apply -f deploy/manifests/functions-rbac.yaml', { cwd: folder, env }));
  });
  afterAll(async () => {
    await controlPlane?.stop();
  });

  it.each(mine.filter(({ page }) => group.includes(page)))('$page: $command', async ({ command }) => {
    if (command.startsWith('sluice doctor')) await startExecutor(controlPlane);
    expectDone(await type(filled(command, controlPlane.kubeconfig), { cwd: folder, env }));
  });
});

/** Writes the status of running pods, because no node of this control plane runs them. */
async function startExecutor({ kubectl }: ControlPlane): Promise<void> {
  const status = { status: { replicas: 1, readyReplicas: 1, availableReplicas: 1 } };
  const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify(status)];
  const said = await kubectl(['patch', 'deployment', 'sluice-executor', '--namespace', 'sluice', ...patch]);
  expect(said).toMatchObject({ status: 0 });
}

/** Definitions, a policy, a rule of each kind, and the native rule that is written for the paced one. */
async function seed({ kubectl }: ControlPlane): Promise<void> {
  const must = async (words: readonly string[], stdin?: object) => {
    const { status, stdout, stderr } = await kubectl(words, stdin && JSON.stringify(stdin));
    expect(status, `kubectl ${words.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  };
  const crds = path.join(root, 'deploy', 'chart', 'crds');
  await must(['apply', '--server-side', '-f', crds]);
  await must(['wait', '--for=condition=Established', '--timeout=30s', '-f', crds]);
  const ours = { apiVersion: 'sluice.dev/v1alpha1', metadata: { name: 'page' } };
  const spec = {
    deviceSelector: { driver: 'gpu.example.com' },
    taints: [{ key: 'example.com/bad', effect: 'NoSchedule' }],
  };
  await must(['apply', '-f', '-'], {
    ...ours,
    kind: 'EvictionPolicy',
    spec: { taints: { keys: ['example.com/bad'] } },
  });
  await must(['apply', '-f', '-'], { ...ours, kind: 'PacedTaintRule', spec });
  const uid = await must(['get', 'pacedtaintrules', 'page', '-o', 'jsonpath={.metadata.uid}']);
  const native = (name: string, metadata: object) => ({
    apiVersion: 'resource.k8s.io/v1beta2',
    kind: 'DeviceTaintRule',
    metadata: { name, ...metadata },
    spec: { deviceSelector: spec.deviceSelector, taint: spec.taints[0] },
  });
  await must(['apply', '-f', '-'], native('by-hand', {}));
  const ownerReferences = [{ apiVersion: ours.apiVersion, kind: 'PacedTaintRule', name: 'page', uid }];
  await must(['apply', '-f', '-'], native('projected', { labels: { [projectedFromLabel]: uid }, ownerReferences }));
}
