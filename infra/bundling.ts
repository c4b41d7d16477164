// How functions are bundled: one ESM file each with the SDK inside, so that what was tested is what runs.
import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

export const bundling: BundlingOptions = {
  format: OutputFormat.ESM,
  target: 'node24',
  minify: true,
  sourceMap: false,
  mainFields: ['module', 'main'],
  externalModules: [],
  banner: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
};
