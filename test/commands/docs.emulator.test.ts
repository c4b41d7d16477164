// Every command of every page runs as it is written: against the simulated cluster and an emulated table, by the bundled program.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configName, exampleFile } from '../../lib/config/load.ts';
import { pod, resourceSlice } from '../../lib/local/cluster/builders.ts';
import { root } from '../house/sources.ts';
import { type DeployedStack, startDeployedStack } from './support/deployedStack.ts';
import { commandsOf, elsewhere, pageCommands } from './support/pageCommands.ts';
import { gpuRule, type Scene, startScene } from './support/scene.ts';
import { startTableScene, type TableScene } from './support/tableScene.ts';

const all = pageCommands();
const isElsewhere = (command: string) => elsewhere.some(({ begins }) => begins.test(command));
const mine = all.filter(({ command }) => !isElsewhere(command));

let table: TableScene;
let scene: Scene;
let stack: DeployedStack;
let folder = '';

/** What pages call by name. */
beforeAll(async () => {
  [table, scene] = [await startTableScene(), await startScene({ hasStops: true })];
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
  for (const name of ['bin', 'configured', 'empty']) mkdirSync(path.join(folder, name));
  copyFileSync(path.join(root, exampleFile), path.join(folder, 'configured', configName));
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
  await table?.stop();
});

/** Placeholders stand for names that only an installation has. */
function filled(command: string): string {
  return command
    .replace(/<TableName>|Sluice-State/g, 'table')
    .replace(/<file>|\bFILE\b/g, scene.kubeconfig)
    .replace(/ --queue <IngestQueueUrl of prod>/g, '');
}

/** Where a reader who types the command is. */
function folderOf(command: string): string {
  if (command.startsWith('npm run ')) return root;
  if (command.startsWith('sluice config validate')) return path.join(folder, 'configured');
  if (command.startsWith('sluice config import')) return path.join(folder, 'empty');
  return folder;
}

function shell(command: string): Promise<{ readonly status: number; readonly said: string }> {
  const env = {
    ...table.environment,
    PATH: [path.join(folder, 'bin'), path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    KUBECONFIG: scene.kubeconfig,
    SLUICE_TABLE: 'table',
    SLUICE_CLUSTER: 'prod',
    AWS_ENDPOINT_URL_CLOUDFORMATION: stack.endpoint,
  };
  // What watches ends when its reader has seen a line, by one Ctrl-C: a second one ends it at once, without an answer.
  const typed = / --watch\b|^sluice (top|console)\b/.test(command)
    ? `timeout --foreground --preserve-status --signal=INT 5 ${command}`
    : command;
  return new Promise((resolve) => {
    execFile('bash', ['-c', typed], { cwd: folderOf(command), env }, (error, out, err) => {
      const code = error?.code;
      resolve({ status: typeof code === 'number' ? code : error ? 1 : 0, said: `${out}${err}` });
    });
  });
}

/** 3 is the answer of a plan that evicts. */
const answers = [0, 3];

describe('commands of pages', () => {
  it.each(mine.map(({ page, command }) => [page, command]))('%s: %s', async (_, command = '') => {
    const { status, said } = await shell(filled(command));
    expect(said).not.toMatch(/unknown (command|option)|^ {4}at /m);
    expect({ status, said: answers.includes(status) ? '' : said }).toEqual({
      status: expect.toBeOneOf(answers),
      said: '',
    });
  });

  it('are more than those that run elsewhere, each of which has a reason that still counts', () => {
    expect(mine.length).toBeGreaterThan(20);
    const idle = elsewhere.filter(({ begins }) => !all.some(({ command }) => begins.test(command)));
    expect(idle).toEqual([]);
  });

  it('are the lines of blocks marked sh, without comments', () => {
    expect(commandsOf('a.md', '```sh\n# none\nsluice get \\\n  rules   # all\n```\n```yaml\na: 1\n```\n')).toEqual([
      { page: 'a.md', command: 'sluice get rules' },
    ]);
  });
});
