// The demo's cluster under the built kubectl: the commands of the tutorial work there, without a control plane.
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoManifests, populateDemo } from '../../lib/local/demo/demo.ts';
import { type Simulation, startSimulation } from '../../lib/local/simulation.ts';

let simulation: Simulation;
let workloads: { stop(): void };

beforeAll(async () => {
  simulation = await startSimulation({ manifests: demoManifests });
  workloads = populateDemo(simulation);
});

afterAll(async () => {
  workloads?.stop();
  await simulation?.stop();
});

/** What kubectl prints; throws with its error where it fails. */
function kubectl(args: readonly string[], stdin = ''): Promise<string> {
  const binary = process.env.SLUICE_CONTROL_PLANE;
  if (!binary) throw new Error('SLUICE_CONTROL_PLANE is not set: run this by `npm run test:cluster`');
  return new Promise((resolve, reject) => {
    const all = ['kubectl', '--kubeconfig', simulation.kubeconfig, ...args];
    const child = execFile(binary, all, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr}`));
      else resolve(stdout);
    });
    child.stdin?.end(stdin);
  });
}

const header = (text: string) =>
  text
    .split('\n')[0]
    ?.trim()
    .split(/\s{2,}/);
const rule = (name: string) =>
  JSON.stringify({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceTaintRule',
    metadata: { name },
    spec: {
      deviceSelector: { driver: 'gpu.example.com', pool: 'gpu-05' },
      taint: { key: 'example.com/mine', effect: 'NoExecute' },
    },
  });

describe('kubectl in the demo’s cluster', () => {
  it.each([
    ['pods -n serving', ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE']],
    ['nodes', ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION']],
    ['resourceslices', ['NAME', 'NODE', 'DRIVER', 'POOL', 'AGE']],
    ['resourceclaims -n search', ['NAME', 'STATE', 'AGE']],
    ['evictionpolicies', ['NAME', 'RATE', 'CAP', 'PAUSED', 'ACCEPTED', 'HELD', 'AGE']],
  ])('kubectl get %s prints its columns', async (what, columns) => {
    expect(header(await kubectl(['get', ...what.split(' ')]))).toEqual(columns);
  });

  it('kubectl applies a rule twice, describes, annotates, waits for and deletes it', async () => {
    expect(await kubectl(['apply', '-f', '-'], rule('mine'))).toBe('devicetaintrule.resource.k8s.io/mine created\n');
    expect(await kubectl(['apply', '-f', '-'], rule('mine'))).toBe('devicetaintrule.resource.k8s.io/mine unchanged\n');
    expect(header(await kubectl(['get', 'devicetaintrules']))).toEqual([
      'NAME',
      'KEY',
      'VALUE',
      'EFFECT',
      'TIMEADDED',
      'AGE',
    ]);
    await kubectl(['annotate', 'devicetaintrule', 'mine', 'sluice.dev/paused=true']);
    expect(await kubectl(['describe', 'devicetaintrule', 'mine'])).toMatch(/sluice.dev\/paused: true.*Pool: +gpu-05/s);
    const gone = kubectl(['wait', '--for=delete', 'devicetaintrule/mine', '--timeout=60s']);
    await kubectl(['delete', 'devicetaintrule', 'mine']);
    // Succeeds whether the rule is deleted before or during the wait.
    await gone;
    await expect(kubectl(['get', 'devicetaintrule', 'mine'])).rejects.toThrow('NotFound');
  });

  it('kubectl waits until a pod with a device claim is ready, and describes it', async () => {
    const [name = ''] = (await kubectl(['get', 'pods', '-n', 'serving', '-o', 'name'])).split('\n');
    await kubectl(['wait', '-n', 'serving', '--for=condition=Ready', name, '--timeout=60s']);
    expect(await kubectl(['describe', '-n', 'serving', name])).toMatch(/Status: +Running/);
  });
});
