// How functions are bundled: one ESM file each with the SDK inside, so that what was tested is what runs.
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { BuildOptions } from 'esbuild';

/** Packages that still call `require` need it in an ES module. */
const banner = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";
const mainFields = ['module', 'main'];
const target = 'node24';

/** No source maps: they would triple what a cold start loads, and the minified names keep stack traces readable enough. */
export const bundling: BundlingOptions = {
  format: OutputFormat.ESM,
  target,
  minify: true,
  sourceMap: false,
  mainFields,
  externalModules: [],
  banner,
  logLevel: LogLevel.WARNING,
};

/** The same for esbuild itself, so that tests and benchmarks measure what is deployed. */
export function esbuildOptions(entry: string): BuildOptions {
  return {
    entryPoints: [entry],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target,
    minify: true,
    mainFields,
    banner: { js: banner },
    logLevel: 'warning',
  };
}

/** Bytes of one function's bundle: the goal that tests hold it to, and what no bundle may ever exceed. */
export const bundleLimits = { goal: 700_000, hard: 1_000_000 } as const;
