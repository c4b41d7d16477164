// Runs the commands of the documentation as written, with the bundled program, against the simulated cluster and an emulated table.
import { copyFileSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { configName, exampleFile } from '../../lib/config/load.ts';
import { makeBuild } from '../../lib/local/build.ts';
import { pod, resourceSlice } from '../../lib/local/cluster/builders.ts';
import { root, trackedFiles } from '../house/sources.ts';
import { type DeployedStack, startDeployedStack } from './support/deployedStack.ts';
import { commandsAt } from './support/pageCommands.ts';
import { gpuRule, type Scene, startScene } from './support/scene.ts';
import { startTableScene, type TableScene } from './support/tableScene.ts';
import { expectDone, type } from './support/typed.ts';

/** Each command once, even if several pages contain it. */
const mine = commandsAt('simulated').filter(
  (one, at, all) => all.findIndex(({ command }) => command === one.command) === at,
);

let table: TableScene;
let scene: Scene;
/** A cluster of its own for `npm start`, which evicts pods. */
let started: Scene;
let stack: DeployedStack;
let folder = '';

/** Seeds the objects that pages refer to by name. */
beforeAll(async () => {
  [table, scene, started] = [await startTableScene(), await startScene({ hasStops: true }), await startScene()];
  stack = await startDeployedStack();
  folder = table.home;
  scene.cluster.seed({ ...gpuRule, status: { conditions: [] } });
  scene.cluster.seed({
    ...gpuRule,
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'PacedTaintRule',
    metadata: { name: 'old-driver' },
    spec: { deviceSelector: { driver: 'x' }, taints: [{ key: 'a', effect: 'None' }] },
  });
  const devices = Array.from({ length: 4 }, (_, i) => ({ name: `gpu-${i}` }));
  scene.cluster.seed(resourceSlice({ name: 'node-7', driver: 'gpu.example.com', node: 'node-7', devices }));
  for (const name of ['worker-0', 'trainer-3']) scene.cluster.seed(pod({ name, namespace: 'team-a', node: 'node-7' }));
  copyCheckout(path.join(folder, 'checkout'));
  for (const name of ['bin', 'configured', 'empty']) mkdirSync(path.join(folder, name));
  copyFileSync(path.join(root, exampleFile), path.join(folder, 'configured', configName));
  await makeBuild(path.join(folder, 'program', 'demo'));
  symlinkSync(path.join(folder, 'program', 'sluice.mjs'), path.join(folder, 'bin', 'sluice'));
  const attributes = { model: { string: 'a100' } };
  const device = { driver: 'gpu.example.com', attributes, capacity: { memory: { value: '80Gi' } } };
  const files = {
    'device.json': device,
    'vectors.json': [{ name: 'yes', expression: 'true', device }],
    'rule.yaml': gpuRule,
    'paced.yaml': { ...gpuRule },
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), JSON.stringify(content));
});
afterAll(async () => {
  await stack?.stop();
  await scene?.stop();
  await started?.stop();
  await table?.stop();
});

/** A copy for commands that write project files, which other tests read at the same time. */
function copyCheckout(to: string): void {
  for (const file of trackedFiles()) cpSync(path.join(root, file), path.join(to, file), { preserveTimestamps: true });
  for (const installed of ['node_modules', 'toolchain/node_modules'])
    if (existsSync(path.join(root, installed))) symlinkSync(path.join(root, installed), path.join(to, installed));
}

/** Replaces placeholders with the names of this installation. */
function filled(command: string): string {
  return command
    .replace(/<TableName>|Sluice-State/g, 'table')
    .replace(/<file>|\bFILE\b/g, command.startsWith('npm start') ? started.kubeconfig : scene.kubeconfig)
    .replace('pause cluster <name>', 'pause cluster prod')
    .replace('-- VERB', '-- version')
    .replace(/ --queue <IngestQueueUrl of prod>/g, '');
}

/** The folder in which a reader would run the command. */
function folderOf(command: string): string {
  if (/^npm run (synth|build|generate|unit)/.test(command)) return path.join(folder, 'checkout');
  if (command.startsWith('npm ')) return root;
  if (command.startsWith('sluice config validate')) return path.join(folder, 'configured');
  if (command.startsWith('sluice config import')) return path.join(folder, 'empty');
  return folder;
}

/** Seconds before Ctrl-C for commands that run until then; a whole installation prints its first line before all of it runs. */
function secondsOf(command: string): number | undefined {
  if (/^npm start( -- --kubeconfig .*)?$|^sluice demo$/.test(command)) return 8;
  return / --watch\b|^sluice (top|console)\b/.test(command) ? 2 : undefined;
}

/** Replaces a long run over random histories with two of them. */
const shortened = (command: string) => command.replace(/--cases \d+/, '--cases 2');

describe('commands of the documentation', () => {
  it.each(mine.map(({ page, command }) => [page, command]))(
    '%s: %s',
    async (_, command = '') => {
      const env = {
        ...table.environment,
        PATH: [path.join(folder, 'bin'), path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
        KUBECONFIG: scene.kubeconfig,
        SLUICE_TABLE: 'table',
        SLUICE_CLUSTER: 'prod',
        AWS_ENDPOINT_URL_CLOUDFORMATION: stack.endpoint,
      };
      const typed = shortened(filled(command));
      expectDone(await type(typed, { cwd: folderOf(command), env, seconds: secondsOf(command) }));
    },
    // Against hangs only: one command runs a tier of tests, on whatever else the machine does.
    360_000,
  );
});
