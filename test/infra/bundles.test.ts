// The bundles of the functions: what is loaded at a cold start.
import { readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { bundleLimits, esbuildOptions, functionOptions } from '../../infra/bundling.ts';
import { project } from './support/installation.ts';

const names = readdirSync(path.join(project, 'functions')).filter((name) => name.endsWith('.ts'));
const bundles = await Promise.all(
  names.map(async (name) => {
    const options = functionOptions(path.join(project, 'functions', name));
    const { outputFiles, metafile, warnings } = await build({ ...options, write: false, metafile: true });
    const [output] = Object.values(metafile.outputs);
    return {
      name,
      files: outputFiles.length,
      bytes: outputFiles[0]?.contents.length,
      warnings,
      exports: output?.exports,
      imports: (output?.imports ?? []).map((one) => one.path),
      inputs: Object.keys(metafile.inputs),
    };
  }),
);

describe('bundles', () => {
  it('every stage, the sweep and the widget have a bundle each', () => {
    expect(names.sort()).toEqual(['evaluate.ts', 'evict.ts', 'ingest.ts', 'report.ts', 'sweep.ts', 'widget.ts']);
  });

  it.each(bundles)('bundle $name is smaller than the goal for a fast cold start', ({ bytes }) => {
    expect(bytes).toBeLessThan(bundleLimits.goal);
  });

  it.each(bundles)('bundle $name is one file that exports a handler', ({ files, exports, warnings }) => {
    expect({ files, exports, warnings }).toEqual({ files: 1, exports: ['handler'], warnings: [] });
  });

  it.each(bundles)(
    'bundle $name contains every package it uses, so that what was tested is what runs',
    ({ imports }) => {
      expect(imports.filter((one) => !isBuiltin(one))).toEqual([]);
    },
  );

  it.each(bundles)(
    'bundle $name takes its credentials from the environment alone, as AWS Lambda gives them',
    ({ inputs }) => {
      expect(inputs.filter((one) => /credential-provider-(node|sso|ini|login|web-identity)/.test(one))).toEqual([]);
    },
  );

  it('the bundle of the watcher keeps every source of credentials that a pod may use', async () => {
    const options = esbuildOptions(path.join(project, 'bin', 'watcher.ts'));
    const { metafile } = await build({ ...options, write: false, metafile: true });
    const inputs = Object.keys(metafile.inputs).join('\n');
    for (const one of ['web-identity', 'http', 'node']) expect(inputs).toContain(`credential-provider-${one}`);
  });

  it.each(bundles)('bundle $name has nothing of the watcher, the local runtime or the stack', ({ inputs }) => {
    expect(inputs.filter((one) => /client-node|aws-cdk|fauxqs|lib\/(local|watcher)\//.test(one))).toEqual([]);
  });
});
