// Starts one emulated AWS account on a loopback port and stops it, its functions included.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../lib/local/freePort.ts';
import { targetName, targets } from './target.ts';

export interface Emulator {
  /** What an AWS SDK client, or the CDK command line, needs to reach this instead of AWS. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface EmulatorOptions {
  /** Whether IAM policies are enforced for everyone but the account's root. */
  readonly enforceIam: boolean;
  /** Address of a fake EKS. */
  readonly eks?: string;
}

/** Of the account's root. */
const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' } as const;
export const account = { id: '000000000000', region: 'us-east-1' } as const;

/** With SLUICE_DEPLOY_ENDPOINT the suite runs against an emulator that runs already, LocalStack for one. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const running = process.env.SLUICE_DEPLOY_ENDPOINT;
  if (running !== undefined && running !== '') return { environment: environmentOf(running), stop: async () => {} };
  const program = process.env.SLUICE_EMULATOR;
  if (!program) throw new Error('SLUICE_EMULATOR is not set: run this by `npm run test:deploy`');
  const target = targets[targetName()];
  const folder = mkdtempSync(path.join(process.env.SLUICE_DEPLOY_RUNS ?? tmpdir(), 'aws-'));
  mkdirSync(path.join(folder, 'tmp'));
  const port = await freePort();
  const log = path.join(folder, 'log');
  const output = openSync(log, 'w');
  // Node comes first on PATH because functions run on it.
  const child = spawn(program, target.args, {
    stdio: ['ignore', output, output],
    env: {
      PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder,
      TMPDIR: path.join(folder, 'tmp'),
      ...target.environment({ folder, port, enforceIam: options.enforceIam }),
      ...(options.eks === undefined
        ? {}
        : { SLUICE_EKS: options.eks, PYTHONPATH: path.join(import.meta.dirname, 'eks'), PYTHONDONTWRITEBYTECODE: '1' }),
    },
  });
  writeFileSync(path.join(folder, 'pid'), String(child.pid));
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const endpoint = `http://127.0.0.1:${port}`;
  const end = Date.now() + target.startSeconds * 1000;
  while (!(await answers(`${endpoint}${target.health}`))) {
    if (Date.now() > end || child.exitCode !== null) {
      kill();
      throw new Error(`the emulator does not start:\n${readFileSync(log, 'utf8').slice(-3000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    environment: {
      ...environmentOf(endpoint),
      ...(options.eks === undefined ? {} : { AWS_ENDPOINT_URL_EKS: options.eks }),
    },
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(kill, 10_000);
      await gone;
      clearTimeout(late);
      rmSync(path.join(folder, 'pid'));
      process.off('exit', kill);
    },
  };
}

function environmentOf(endpoint: string): Readonly<Record<string, string>> {
  return {
    ...credentials,
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_REGION: account.region,
    AWS_DEFAULT_REGION: account.region,
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
