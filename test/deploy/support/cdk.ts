// The CDK command line as a user runs it: bootstrap, deploy, diff, destroy.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import type { Config } from '../../../lib/config/schema.ts';
import { account } from './emulator.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');

export interface Cdk {
  bootstrap(): Promise<void>;
  /** The stack's outputs. */
  deploy(): Promise<Readonly<Record<string, string>>>;
  /** 0: what is deployed is what the sources say. */
  diff(): Promise<number>;
  destroy(): Promise<void>;
  /** The same stack with parts of its configuration replaced, not deployed. */
  synth(config: Partial<Config>): Promise<Said>;
  /** The same stack from other sources: a copy of them, to be changed before the next deployment. */
  copySources(change: (folder: string) => void): Cdk;
  /** As synthesized by the last deployment. */
  template(): Template;
}

export interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: Readonly<Record<string, unknown>> }>
  >;
}

export interface Said {
  readonly status: number | null;
  readonly said: string;
}

export interface CdkOptions {
  /** Holds what is synthesized. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly config: Config;
  /** Where the sources are; this project by default. */
  readonly sources?: string;
}

export function cdkOf(options: CdkOptions): Cdk {
  const output = path.join(options.folder, 'cdk.out');
  const outputs = path.join(options.folder, 'outputs.json');
  const run = (args: readonly string[], config = options.config) => {
    const file = path.join(options.folder, 'sluice.yaml');
    writeFileSync(file, stringify(config));
    return runCdk([...args, '--no-notices', '--output', output, '-c', `config=${file}`], options);
  };
  const must = async (args: readonly string[]) => {
    const { status, said } = await run(args);
    if (status !== 0) throw new Error(`cdk ${args[0]} ended with ${status}:\n${said.slice(-4000)}`);
  };
  return {
    bootstrap: () => must(['bootstrap', `aws://${account.id}/${account.region}`]),
    async deploy() {
      await must(['deploy', '--require-approval', 'never', '--outputs-file', outputs]);
      const [ofStack = {}] = Object.values(JSON.parse(readFileSync(outputs, 'utf8')) as Record<string, object>);
      return ofStack as Record<string, string>;
    },
    diff: async () => (await run(['diff', '--fail', '--method=template'])).status ?? 1,
    destroy: () => must(['destroy', '--force']),
    synth: (config) => run(['synth', '--quiet'], { ...options.config, ...config }),
    copySources(change) {
      const folder = path.join(options.folder, 'sources');
      mkdirSync(folder);
      for (const name of [
        'infra',
        'lib',
        'functions',
        'package.json',
        'package-lock.json',
        'cdk.json',
        'tsconfig.json',
      ])
        cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
      symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
      change(folder);
      return cdkOf({ ...options, sources: folder });
    },
    template: () => JSON.parse(readFileSync(path.join(output, 'Sluice.template.json'), 'utf8')) as Template,
  };
}

function runCdk(args: readonly string[], { environment, sources = root, folder }: CdkOptions): Promise<Said> {
  return new Promise((resolve) => {
    const child = spawn(path.join(root, 'node_modules', '.bin', 'cdk'), args, {
      cwd: sources,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: folder, CI: 'true', CDK_DISABLE_CLI_TELEMETRY: 'true', ...environment },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    child.on('error', (error) => resolve({ status: 1, said: error.message }));
    child.on('close', (status) => resolve({ status, said }));
  });
}
