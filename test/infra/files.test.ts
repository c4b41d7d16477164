// Many clusters: settings that do not fit into a function's environment are files beside its bundle, and the function reads them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundling, bundlingWith, writeCommands } from '../../infra/bundling.ts';
import { toldOf } from '../../infra/environment.ts';
import { environmentNames as names } from '../../lib/contract.ts';
import { readEnvironment } from '../../lib/lambda/environment.ts';
import { clusterOf } from './support/installation.ts';

const certificateAuthority = `-----BEGIN CERTIFICATE-----\n${'A'.repeat(1050)}\n-----END CERTIFICATE-----\n`;
const many = (count: number) => Array.from({ length: count }, (_, i) => clusterOf(`c${i}`, { certificateAuthority }));
const told = (count: number, callsClusters = true) =>
  toldOf({ clusters: many(count) }, { tableName: 'table', callsClusters, ingestQueues: '{"q":"c0"}' });

describe('the settings of clusters', () => {
  it('settings of clusters are variables while they fit', () => {
    expect(told(2).files).toEqual({});
    expect(told(2).environment[names.clusters]).toContain('BEGIN CERTIFICATE');
    expect(bundlingWith({})).toBe(bundling);
  });

  it.each([3, 60])('settings of %s clusters are files, and the environment stays small', (count) => {
    const { environment, files } = told(count);
    expect(JSON.stringify(environment).length).toBeLessThan(1024);
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-files-'));
    for (const command of writeCommands(files, folder)) execFileSync('sh', ['-c', command]);
    const read = readEnvironment(environment, [names.clusters], (name) =>
      readFileSync(path.join(folder, name), 'utf8'),
    );
    expect(Object.keys(read.clusters)).toHaveLength(count);
    expect(read.clusters.c2).toMatchObject({ endpoint: clusterOf('c2').endpoint, certificateAuthority });
    expect(read.ingestQueues).toEqual({ q: 'c0' });
  });

  it('settings of clusters are written after bundling, beside the bundle', () => {
    const { files } = told(3);
    const commands = bundlingWith(files).commandHooks?.afterBundling('in', 'out') ?? [];
    expect(commands).toEqual(writeCommands(files, 'out'));
    expect(commands.map((one) => /"out\/[^"]*"/.exec(one)?.[0])).toEqual([
      `"out/${names.clusters}.json"`,
      `"out/${names.ingestQueues}.json"`,
    ]);
  });
});
