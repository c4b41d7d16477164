// --config names the sluice.yaml of every verb that reads one, and with it the installation.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { program } from '../../lib/commands/definitions/index.ts';
import {
  configuredAccount,
  configuredTarget,
  isInstallationNamed,
  targetOf,
} from '../../lib/commands/installation/target.ts';
import { placesOf } from '../../lib/commands/pages/completionPlaces.ts';
import { runAlone } from './support/scene.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-config-option-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, 'east.yaml');
const cluster = '{name: prod, endpoint: "https://a.example.com", auth: {kind: eks, clusterName: prod}}';
writeFileSync(file, `stack: {name: East, region: us-east-2, account: "123456789012"}\nclusters: [${cluster}]\n`);

const env = { HOME: folder, AWS_REGION: 'eu-west-1', SLUICE_STACK: 'West', SLUICE_TABLE: 'west' };
const asking = (flags: Readonly<Record<string, string>>) => ({
  flags: { config: file, ...flags },
  io: { env } as never,
});

const verbsWith = (flag: string) =>
  placesOf(program)
    .filter(({ flags }) => flags.includes(flag))
    .map(({ path: words }) => words);

describe('--config', () => {
  it('--config takes the stack and region of its file before those of the environment', () => {
    for (const found of [targetOf(asking({})), configuredTarget(asking({}))])
      expect(found).toEqual({ stack: 'East', region: 'us-east-2' });
    expect(configuredAccount(asking({}))).toBe('123456789012');
    expect(isInstallationNamed(asking({}))).toBe(true);
  });

  it('--stack, --region and --table override what the file of --config names', () => {
    expect(targetOf(asking({ stack: 'North', region: 'us-west-1' }))).toEqual({ stack: 'North', region: 'us-west-1' });
    // A table is opened without asking the stack, which may not be deployed.
    expect(targetOf(asking({ table: 'north' }))).toEqual({ region: 'us-east-2', table: 'north' });
  });

  it('every verb with --stack also has --config, except those that remember or write an installation', () => {
    const without = verbsWith('--stack').filter((verb) => !verbsWith('--config').includes(verb));
    expect(without).toEqual(['config use', 'config import']);
  });

  const image = `r.example.com/sluice@sha256:${'a'.repeat(64)}`;
  it('--table without --config replaces the stack and the table of the environment', () => {
    expect(targetOf({ flags: { table: 'north' }, io: { env } as never })).toEqual({
      region: 'eu-west-1',
      table: 'north',
    });
  });

  it.each([
    'doctor',
    'get clusters',
    'get evictions',
    'why pod worker-0',
    'pause --all',
    'pauses',
    'resume --all',
    'top',
    'console',
    'mode show',
    'config view',
    'config validate',
    `install --image ${image}`,
    `upgrade --image ${image}`,
    'uninstall',
  ])('sluice %s fails when the file of --config does not exist', async (typed) => {
    const none = path.join(folder, 'none.yaml');
    const { status, out, err } = await runAlone(...typed.split(' '), '--config', none);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(/^error: \S+none\.yaml: there is no such file\nsee: sluice [a-z ]+ --help\n$/);
  });

  it('config validate refuses a file argument together with a different --config', async () => {
    expect(await runAlone('config', 'validate', 'a.yaml', '--config', 'b.yaml')).toEqual({
      status: 2,
      out: '',
      err: 'error: a.yaml cannot be combined with --config b.yaml\nspecify only one file\n',
    });
  });
});
