// `sluice config validate` and `config import`: checks sluice.yaml, or writes it from an older installation.
import { existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ImportedConfig, importConfig } from '../../config/import.ts';
import { configName, loadConfig } from '../../config/load.ts';
import { ConfigError } from '../../config/read.ts';
import { readTextFile } from '../../config/textFile.ts';
import { whyUnreadable } from '../../model/whyUnreadable.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { targetOf } from '../installation/target.ts';
import { line } from '../io.ts';

export async function run(call: Call): Promise<number> {
  const [verb, file] = call.args;
  return verb === 'validate' ? validate(call, file) : write(call, file);
}

/** Prints each problem on a line of standard output and returns 1; throws if the file cannot be read. */
function validate({ flags, io }: Call, named: string | undefined): number {
  const folder = process.cwd();
  const option = textFlag(flags, 'config');
  if (named !== undefined && option !== undefined)
    throw new UsageFailure(`${named} cannot be combined with --config ${option}`, 'specify only one file');
  const file = named ?? option;
  try {
    const { file: found, config } = loadConfig({ file, environment: io.env, folder });
    line(io.out, `${found} is valid: clusters ${config.clusters.map(({ name }) => name).join(', ')}`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const problem of error.message.split('\n')) line(io.out, problem);
    return 1;
  }
}

async function write(call: Call, source: string | undefined): Promise<number> {
  const { flags, io } = call;
  if (source !== undefined) refuseStack(call, source);
  const output = path.resolve(textFlag(flags, 'to') ?? configName);
  if (existsSync(output)) throw new Failure(`${output} exists already`, 'specify another file: --to FILE');
  const { text, open, unseen } = source === undefined ? await importStack(call) : importFile(source);
  try {
    writeFileSync(output, text, { flag: 'wx' });
  } catch (error) {
    throw new Failure(`${output} cannot be written: ${whyUnreadable(error)}`, 'specify another file: --to FILE');
  }
  line(io.out, `wrote ${output}`);
  for (const one of unseen) line(io.err, one);
  for (const one of open) line(io.err, `missing, complete in the file: ${one}`);
  return 0;
}

/** A cdk.json is read without AWS. */
function refuseStack({ flags }: Call, source: string): void {
  const [named] = ['stack', 'region'].filter((name) => textFlag(flags, name) !== undefined);
  if (named !== undefined)
    throw new UsageFailure(`--${named} cannot be combined with ${source}`, `omit one of them: the file, or --${named}`);
}

function importFile(source: string): ImportedConfig {
  if (!existsSync(source))
    throw new Failure(`there is no file ${source}`, 'specify a cdk.json, or omit it to read the stack');
  if (statSync(source).isDirectory()) throw new Failure(`${source} is a folder`, 'specify its cdk.json');
  return importConfig({ kind: 'CdkJson', text: textOf(source) });
}

function textOf(source: string): string {
  try {
    return readTextFile(source);
  } catch (error) {
    throw new Failure(`${source}: ${whyUnreadable(error)}`, 'specify a cdk.json');
  }
}

async function importStack({ flags, io }: Call): Promise<ImportedConfig> {
  const { stack = 'Sluice', region } = targetOf({ flags, io });
  if (region === undefined) throw new UsageFailure('no AWS region is set', 'specify --region NAME or set AWS_REGION');
  const { readTemplate } = await import('../installation/stack.ts');
  return importConfig({ kind: 'Template', template: await readTemplate({ stack, region }), stackName: stack, region });
}
