// The construct as it is published: another app compiles against its types and synthesizes, with no source and no bundler.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { project } from './support/installation.ts';

/** A compiler and a bundler run before the first test, and a compiler in most of them. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-construct-'));
const published = path.join(folder, 'node_modules', 'sluice');
const { dependencies, peerDependencies } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')) as {
  readonly dependencies: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
};

function run(args: readonly string[], cwd = folder) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

const app = `
import { App, Stack } from 'aws-cdk-lib';
import { Sluice, type SluiceProps } from 'sluice/construct';

const props: SluiceProps = {
  clusters: [{ name: 'prod', endpoint: 'https://api.example.com', auth: { kind: 'eks', clusterName: 'prod' }, native: 'shadow' }],
  settings: { nonPodConsumers: true },
  alarmThresholds: { 'messages-wait': { threshold: 600 } },
};
const app = new App({ outdir: 'cdk.out', builtinCloudFormationValidation: false, autoSynth: false });
const stack = new Stack(app, 'Mine');
const sluice = new Sluice(stack, 'Sluice', props);
sluice.metric('PodsEvicted', 'prod');
app.synth();
`;

beforeAll(() => {
  const built = run(['scripts/buildConstruct.ts', path.join(published, 'dist', 'construct')], project);
  if (built.status !== 0) throw new Error(built.said);
  cpSync(path.join(project, 'package.json'), path.join(published, 'package.json'));
  // What npm would install: packages that are needed at run time, and what the app brings itself; no compiler, no bundler.
  for (const name of [...Object.keys(dependencies), ...Object.keys(peerDependencies), '@types/node']) {
    const link = path.join(folder, 'node_modules', name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.join(project, 'node_modules', name), link);
  }
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module","private":true}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compiler = path.join(project, 'node_modules', '.bin', 'tsc');
/** With `strict`, as users have it, and without the options of this project that need its sources. */
function typesOf(source: string) {
  writeFileSync(path.join(folder, 'app.ts'), source);
  const compilerOptions = {
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    noEmitOnError: true,
  };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }));
  const { status, stdout } = spawnSync(compiler, ['--project', 'tsconfig.json'], { cwd: folder, encoding: 'utf8' });
  return { status, said: stdout };
}

describe('the published construct', () => {
  it('an app compiles against the published construct and synthesizes with its bundles', () => {
    expect(typesOf(app)).toEqual({ status: 0, said: '' });
    expect(run(['app.js'])).toEqual({ status: 0, said: '' });
    const template = readFileSync(path.join(folder, 'cdk.out', 'Mine.template.json'), 'utf8');
    expect(template).toContain(JSON.stringify(JSON.stringify({ nonPodConsumers: true })));
    const assets = readdirSync(path.join(folder, 'cdk.out')).filter((name) => name.startsWith('asset.'));
    const bundles = assets.map((name) => readdirSync(path.join(folder, 'cdk.out', name)));
    expect(bundles).toEqual(assets.map(() => ['index.mjs']));
    expect(assets.length).toBeGreaterThan(5);
  });

  it('the types of the published construct refuse a key that does not exist', () => {
    const { status, said } = typesOf(app.replace('nonPodConsumers', 'nonPodConsumer'));
    expect(status).not.toBe(0);
    expect(said).toContain("'nonPodConsumer'");
  });

  it('the published construct brings a bundle for every function', () => {
    const bundled = readdirSync(path.join(published, 'dist', 'construct', 'functions')).sort();
    const sources = readdirSync(path.join(project, 'functions')).filter((name) => name.endsWith('.ts'));
    expect(bundled).toEqual(sources.map((name) => path.basename(name, '.ts')).sort());
  });

  it('the published construct writes the clusters into files beside the bundles if there are many', () => {
    const more = `...Array.from({ length: 8 }, (_, i) => ({
      name: 'c' + i,
      endpoint: 'https://' + ('a'.repeat(60) + '.').repeat(8) + i + '.example.com',
      auth: { kind: 'eks' as const, clusterName: 'c' + i },
      native: 'own' as const,
    })),`;
    expect(typesOf(app.replace('clusters: [', `clusters: [${more}`))).toEqual({ status: 0, said: '' });
    rmSync(path.join(folder, 'cdk.out'), { recursive: true, force: true });
    expect(run(['app.js'])).toEqual({ status: 0, said: '' });
    const assets = readdirSync(path.join(folder, 'cdk.out')).filter((name) => name.startsWith('asset.'));
    expect(assets.map((name) => readdirSync(path.join(folder, 'cdk.out', name)))).toContainEqual([
      'SLUICE_CLUSTERS.json',
      'index.mjs',
    ]);
  });
});
