// Sluice's kinds at a real API server: every example is accepted, and every object of test/fixtures/refused is refused with a text that says what to do.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { project } from '../../lib/adapters/kubernetes/project.ts';
import type { ObjectKind } from '../../lib/model/projection.ts';
import { ownKindsContract } from '../contracts/ownKinds.ts';
import { refused } from '../fixtures/refused/index.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { waitFor } from './support/waitFor.ts';

const deploy = path.join(import.meta.dirname, '..', '..', 'deploy');
const examples = path.join(deploy, 'examples');
const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort();
/** Without configurations of the stack, which are not for an API server. */
const folders = readdirSync(examples).filter((name) => name !== 'configuration');

let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({ components: [] });
  const installed = await controlPlane.kubectl(['apply', '-f', path.join(deploy, 'chart', 'crds')]);
  expect(installed.stderr).toBe('');
  const established = [
    'wait',
    '--for=condition=Established',
    '--timeout=30s',
    '-f',
    path.join(deploy, 'chart', 'crds'),
  ];
  expect((await controlPlane.kubectl(established)).status).toBe(0);
});
afterAll(async () => {
  await controlPlane?.stop();
});

describe.each(folders)('examples of %s', (folder) => {
  it.each(filesIn(path.join(examples, folder)))('the example %s is accepted, and Sluice can read it', async (name) => {
    const file = path.join(examples, folder, name);
    const applied = await controlPlane.kubectl(['apply', '--validate=strict', '-o', 'json', '-f', file]);
    expect(applied.stderr).toBe('');
    const object = JSON.parse(applied.stdout) as { kind: ObjectKind };
    expect(project(object.kind, object).kind).toBe('Projected');
  });

  const rows = refused.filter((row) => row.folder === folder);
  it.each(rows.map(({ name, manifest }) => [name, manifest] as const))(
    'the API server refuses an example with %s',
    async (_, manifest) => {
      const create = ['create', '--validate=strict', '-f', '-'];
      const { status, stderr } = await controlPlane.kubectl(create, JSON.stringify(manifest));
      expect(status).not.toBe(0);
      expect(stderr.replace(/x{100,}/g, 'x...').replace(/a{60,}/g, 'a...')).toMatchSnapshot();
    },
  );
});

ownKindsContract(() => controlPlane.client);

describe('a status', () => {
  const condition = (i: number) => ({
    type: `example.com/Condition${i}`,
    status: 'True',
    reason: 'Because',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });

  it.each([
    ['pacedtaintrule', 'one-device'],
    ['devicetaintslice', 'healthy'],
  ])('the status of a %s has eight conditions at most', async (kind, name) => {
    const write = (count: number) => {
      const patch = JSON.stringify({ status: { conditions: Array.from({ length: count }, (_, i) => condition(i)) } });
      return controlPlane.kubectl(['patch', kind, name, '--subresource=status', '--type=merge', '-p', patch]);
    };
    expect(await write(8)).toMatchObject({ status: 0, stderr: '' });
    const { status, stderr } = await write(9);
    expect(status).not.toBe(0);
    expect(stderr).toMatch(/status\.conditions: Too many: 9: must have at most 8 items/);
  });
});

describe('a custom resource definition', () => {
  it.each(filesIn(path.join(deploy, 'chart', 'crds')))(
    'the definition %s describes every field of its spec',
    (name) => {
      const crd = parse(readFileSync(path.join(deploy, 'chart', 'crds', name), 'utf8'));
      const { spec } = crd.spec.versions[0].schema.openAPIV3Schema.properties;
      const fields = Object.entries<{ description?: string }>(spec.properties);
      expect(fields.filter(([, field]) => !field.description).map(([field]) => field)).toEqual([]);
    },
  );

  it('kubectl get shows key, effect, rate, progress, reason and hold of a PacedTaintRule', async () => {
    const shown = await waitFor(async () => {
      const { stdout } = await controlPlane.kubectl(['get', 'pacedtaintrules', 'one-device']);
      return stdout.includes('KEY') ? stdout : undefined;
    });
    expect(shown.split('\n')[0]?.split(/\s+/)).toEqual([
      'NAME',
      'KEY',
      'EFFECT',
      'RATE',
      'EVICTING',
      'REASON',
      'HELD',
      'AGE',
    ]);
  });
});
