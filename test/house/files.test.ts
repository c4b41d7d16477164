// No tracked file holds paths of a machine or hosts of a registry, and no version may change by itself.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readText, root, trackedFiles } from './sources.ts';

const isText = (file: string) => !/\.(png|jpg|gif|ico|woff2?)$/.test(file);
const files = trackedFiles().filter(isText);

/** Written so that this file does not hold them itself. */
const machinePaths = [
  /\/(?:home|Users)\/[a-z][\w.-]*\//,
  /(?<![\w.])\/work\//,
  /(?<![\w.])\/root\//,
  /[A-Z]:\\\\?Users/,
];
const registryHosts = /registry\.(?:npmjs|yarnpkg)\.\w+|npm\.pkg\.github|proxy\.golang|\bartifactory\b|\bnexus\b/i;

function linesWith(pattern: RegExp): readonly string[] {
  return files.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}`] : [])),
  );
}

const self = 'test/house/files.test.ts';

describe('tracked files', () => {
  it.each(machinePaths)('tracked files hold no path of a machine: %s', (pattern) => {
    expect(linesWith(pattern).filter((place) => !place.startsWith(self))).toEqual([]);
  });

  it('tracked files name no host of a package registry', () => {
    expect(linesWith(registryHosts).filter((place) => !place.startsWith(self))).toEqual([]);
  });

  it('tracked files hold no build results and no installed packages', () => {
    expect(files.filter((file) => /(^|\/)(node_modules|cdk\.out|coverage)\//.test(file))).toEqual([]);
  });

  it('tracked files end with a line break', () => {
    expect(files.filter((file) => /\.(ts|mjs|md|json|yaml|sh)$/.test(file) && !readText(file).endsWith('\n'))).toEqual(
      [],
    );
  });
});

const manifests = files.filter((file) => path.basename(file) === 'package.json');
const locks = files.filter((file) => path.basename(file) === 'package-lock.json');

interface Manifest {
  readonly [kind: string]: unknown;
}

describe('packages', () => {
  it.each(manifests)('packages of %s are pinned to one version', (file) => {
    const manifest = JSON.parse(readText(file)) as Manifest;
    // Not peerDependencies: an app chooses its own CDK, from the version that is tested here on.
    const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'];
    const all = kinds.flatMap((kind) => Object.entries((manifest[kind] ?? {}) as Record<string, string>));
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it.each(locks)('packages of %s have a hash and no registry of their own', (file) => {
    const lock = JSON.parse(readText(file)) as {
      packages: Record<string, { resolved?: string; integrity?: string; inBundle?: boolean }>;
    };
    const installed = Object.entries(lock.packages).filter(([name]) => name !== '');
    expect(installed.filter(([, one]) => one.resolved !== undefined).map(([name]) => name)).toEqual([]);
    expect(installed.filter(([, one]) => !one.integrity && !one.inBundle).map(([name]) => name)).toEqual([]);
  });

  it('every package.json has a lock file next to it', () => {
    const missing = manifests.map((file) => file.replace('package.json', 'package-lock.json'));
    expect(missing.filter((file) => !locks.includes(file))).toEqual([]);
  });
});

describe('the licence', () => {
  it('the licence is the one that package.json names', () => {
    expect(readText('LICENSE')).toContain('Apache License');
    expect((JSON.parse(readText('package.json')) as Manifest).license).toBe('Apache-2.0');
  });
});
