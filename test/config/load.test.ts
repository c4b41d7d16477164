// Where sluice.yaml is found, and the error when it is missing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exampleFile, findConfig, loadConfig } from '../../lib/config/load.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-config-'));
const empty = mkdtempSync(path.join(tmpdir(), 'sluice-config-'));
afterAll(() => {
  for (const one of [folder, empty]) rmSync(one, { recursive: true, force: true });
});
const write = (name: string) => {
  const text = `clusters:\n  - {name: ${name}, endpoint: "https://a", auth: {kind: outbound}}\n`;
  writeFileSync(path.join(folder, `${name === 'own' ? 'sluice' : name}.yaml`), text);
};
for (const name of ['own', 'variable', 'flag']) write(name);
const nameIn = (place: { file?: string; environment?: Record<string, string>; folder?: string }) =>
  findConfig({ environment: {}, folder, ...place })?.config.clusters[0]?.name;

describe('a configuration', () => {
  it('the configuration is the file of --config, else of SLUICE_CONFIG, else ./sluice.yaml', () => {
    expect(nameIn({})).toBe('own');
    expect(nameIn({ environment: { SLUICE_CONFIG: 'variable.yaml' } })).toBe('variable');
    expect(nameIn({ environment: { SLUICE_CONFIG: 'variable.yaml' }, file: 'flag.yaml' })).toBe('flag');
  });

  it('a configuration file may be missing unless it is named', () => {
    expect(nameIn({ folder: empty })).toBeUndefined();
    expect(() => nameIn({ folder: empty, file: 'other.yaml' })).toThrow('other.yaml: there is no such file');
    expect(() => nameIn({ environment: { SLUICE_CONFIG: 'other.yaml' } })).toThrow('other.yaml: there is no such file');
    expect(() => nameIn({ file: '.' })).toThrow(/: it is a folder$/);
    expect(() => nameIn({ file: '/dev/zero' })).toThrow(/: it is a device, not a file$/);
  });

  it('loadConfig names the example file to copy when there is no configuration', () => {
    expect(() => loadConfig({ environment: {}, folder: empty, example: exampleFile })).toThrow(
      `there is no sluice.yaml in ${empty}: copy deploy/examples/configuration/sluice.yaml to sluice.yaml`,
    );
    expect(() => loadConfig({ environment: {}, folder: empty })).toThrow(
      `there is no sluice.yaml in ${empty}: write one with sluice config import or sluice install --eks-cluster NAME`,
    );
  });
});
