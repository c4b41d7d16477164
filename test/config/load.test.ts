// Where sluice.yaml is found, and what is said where it is not.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findConfig, loadConfig } from '../../lib/config/load.ts';

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
  it('is ./sluice.yaml, the file of SLUICE_CONFIG before it, and that of --config before both', () => {
    expect(nameIn({})).toBe('own');
    expect(nameIn({ environment: { SLUICE_CONFIG: 'variable.yaml' } })).toBe('variable');
    expect(nameIn({ environment: { SLUICE_CONFIG: 'variable.yaml' }, file: 'flag.yaml' })).toBe('flag');
  });

  it('need not be there unless it is named', () => {
    expect(nameIn({ folder: empty })).toBeUndefined();
    expect(() => nameIn({ folder: empty, file: 'other.yaml' })).toThrow('other.yaml: there is no such file');
    expect(() => nameIn({ environment: { SLUICE_CONFIG: 'other.yaml' } })).toThrow('other.yaml: there is no such file');
    expect(() => nameIn({ file: '.' })).toThrow(/EISDIR|directory/);
  });

  it('is asked for with the example file where nothing works without it', () => {
    expect(() => loadConfig({ environment: {}, folder: empty })).toThrow(
      `there is no sluice.yaml in ${empty}: copy deploy/examples/configuration/sluice.yaml to sluice.yaml`,
    );
  });
});
