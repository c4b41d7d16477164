// The image, the chart, the toolchain and the workflow agree on what is shipped and how it runs.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { user } from '../../scripts/release/base.ts';
import { entrypoint, programs } from '../../scripts/release/image.ts';
import { debianPackages, executableTargets, imageNode } from '../../scripts/release/pins.ts';
import { readText, root } from '../house/sources.ts';

interface PodSpec {
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly containers: readonly {
    readonly command?: string[];
    readonly resources: { limits: { memory: string } };
    readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
  }[];
}
const podSpecs = ['manifests/watcher-deployment.yaml', 'outbound/executor-deployment.yaml'].map((file) => {
  const manifest = parse(readText(`deploy/${file}`)) as { spec: { template: { spec: PodSpec } } };
  return manifest.spec.template.spec;
});
const commands = [
  entrypoint,
  ...podSpecs.flatMap(({ containers }) => containers.flatMap((one) => [one.command ?? []])),
];

describe('the image', () => {
  it('the image has the Node of the toolchain, with its hashes, on whatever Node this test runs', () => {
    const lock = JSON.parse(readText('toolchain/package-lock.json')) as {
      packages: Record<string, { version: string; integrity: string }>;
    };
    for (const { name, version, integrity } of Object.values(imageNode)) {
      expect(lock.packages[`node_modules/${name}`]).toMatchObject({ version, integrity });
    }
  });

  it('the image runs as the user that the chart names, who is not root', () => {
    expect(user).toBeGreaterThan(0);
    for (const { securityContext } of podSpecs)
      expect([securityContext.runAsUser, securityContext.runAsGroup]).toEqual([user, user]);
  });

  it('the image has the files that the entry point and the chart start, and no others', () => {
    const started = commands.flat().filter((word) => word.startsWith('/app/'));
    expect(started.sort()).toEqual(programs.map((name) => `/app/${name}.mjs`).sort());
  });

  it('the heap of a process leaves room for its other memory within the limit of the chart', () => {
    const heaps = commands.flat().flatMap((word) => /^--max-old-space-size=(\d+)$/.exec(word)?.[1] ?? []);
    const limits = podSpecs.flatMap(({ containers }) => containers.map(({ resources }) => resources.limits.memory));
    expect(new Set(limits)).toEqual(new Set(['512Mi']));
    expect(heaps.map(Number)).toEqual([448, 448]);
  });
});

describe('downloads', () => {
  it('every download is pinned by a version and a hash', () => {
    for (const { name, version, sha256 } of debianPackages) {
      expect(version, name).toMatch(/^\d[\w.+~:-]+$/);
      for (const hash of Object.values(sha256)) expect(hash, name).toMatch(/^[0-9a-f]{64}$/);
    }
    for (const { name, version, integrity } of [
      ...Object.values(imageNode),
      ...executableTargets.map(({ node }) => node),
    ]) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
      expect(integrity, name).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    }
  });

  it('all executables have the same version of Node', () => {
    expect(new Set(executableTargets.map(({ node }) => node.version)).size).toBe(1);
  });
});

describe('the release workflow', () => {
  const workflow = readText('.github/workflows/release.yml');
  const { jobs } = parse(workflow) as { jobs: Record<string, { steps: { uses?: string; run?: string }[] }> };
  const steps = Object.values(jobs).flatMap(({ steps: all }) => all);

  it('the release workflow calls scripts of package.json, among them release', () => {
    const { scripts } = JSON.parse(readText('package.json')) as { scripts: Record<string, string> };
    const called = [...workflow.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(called).toContain('release');
    for (const name of called) expect(scripts).toHaveProperty(name);
  });

  it('the release workflow takes every action by its commit', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((one) => !/@[0-9a-f]{40}$/.test(one))).toEqual([]);
  });

  it('the release workflow sets only variables that the script reads', () => {
    const script = readFileSync(path.join(root, 'scripts', 'release.ts'), 'utf8');
    const read = new Set([...script.matchAll(/'([A-Z_]+)'/g)].map(([, name]) => `SLUICE_RELEASE_${name}`));
    const set = [...workflow.matchAll(/^ +(SLUICE_RELEASE_\w+):/gm)].map(([, name = '']) => name);
    expect(set.length).toBeGreaterThan(4);
    expect(set.filter((name) => !read.has(name))).toEqual([]);
  });
});
