// Bundling of functions: one ESM file each with the AWS SDK inside, so that the tested SDK version is deployed.
import { fileURLToPath } from 'node:url';
import { type BundlingOptions, LogLevel, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { BuildOptions } from 'esbuild';

/** Defines `require` for packages that still call it in an ES module. */
const banner = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";
const mainFields = ['module', 'main'];
const target = 'node24';

/** Replacements of packages in functions only: the watcher runs in a pod and needs the SDK's complete credential chain. */
const alias = Object.fromEntries(
  Object.entries({
    '@aws-sdk/credential-provider-node': 'environmentCredentials.ts',
    '@aws-sdk/middleware-endpoint-discovery': 'noEndpointDiscovery.ts',
    '@noble/hashes/sha2.js': 'nodeHashes.ts',
    '@noble/hashes/utils.js': 'nodeHashes.ts',
    '@smithy/core/checksum': 'nodeChecksums.ts',
    '@smithy/core/event-streams': 'noEventStreams.ts',
  }).map(([name, file]) => [name, fileURLToPath(new URL(`../lib/lambda/${file}`, import.meta.url))]),
);

/** No source maps: they would triple what a cold start loads, and stack traces are readable enough without them. */
export const bundling: BundlingOptions = {
  format: OutputFormat.ESM,
  target,
  minify: true,
  sourceMap: false,
  mainFields,
  externalModules: [],
  banner,
  esbuildArgs: Object.fromEntries(Object.entries(alias).map(([name, file]) => [`--alias:${name}`, file])),
  logLevel: LogLevel.WARNING,
};

/** Bundling with additional files beside the bundle. */
export function bundlingWith(files: Readonly<Record<string, string>>): BundlingOptions {
  if (Object.keys(files).length === 0) return bundling;
  const afterBundling = (_: string, outputDir: string) => writeCommands(files, outputDir);
  return { ...bundling, commandHooks: { beforeBundling: () => [], beforeInstall: () => [], afterBundling } };
}

/** Writes files with Node, because shells differ in how they print text. */
export function writeCommands(files: Readonly<Record<string, string>>, folder: string): string[] {
  const script = "require('node:fs').writeFileSync(process.argv[1],Buffer.from(process.argv[2],'base64'))";
  return Object.entries(files).map(
    ([name, text]) => `node -e "${script}" "${folder}/${name}" ${Buffer.from(text).toString('base64')}`,
  );
}

/** The same options for esbuild's API, so that tests and benchmarks use the deployed bundle. */
export function functionOptions(entry: string): BuildOptions {
  return { ...esbuildOptions(entry), alias };
}

/** Options for other programs than functions. */
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

/**
 * Maximum bytes of one function's bundle: the goal that tests enforce, and the hard limit. Evict reads every kind from the API
 * server, so its bundle contains the parsers of all kinds, about 40 KB.
 */
export const bundleLimits = { goal: 780_000, hard: 1_000_000 } as const;
