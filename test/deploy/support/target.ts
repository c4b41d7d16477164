// The emulators of AWS that the deploy suite knows, chosen by SLUICE_DEPLOY_TARGET: how each is started, and what to expect of it.
import path from 'node:path';

export const targetNames = ['ministack', 'localstack'] as const;
export type TargetName = (typeof targetNames)[number];

export interface Launch {
  readonly folder: string;
  readonly port: number;
  /** Whether IAM policies are enforced for everyone but the account's root. */
  readonly enforceIam: boolean;
}

export interface Target {
  readonly args: readonly string[];
  environment(launch: Launch): Readonly<Record<string, string>>;
  /** Path that answers 200 when it is up. */
  readonly health: string;
  /** Seconds until then, on a machine that is busy with other things. */
  readonly startSeconds: number;
  /** Factor by which every wait of the suite is longer than with the fastest target. */
  readonly patience: number;
  /** When alarms are evaluated: always, or when they are put and then only after their whole window. */
  readonly alarmsAreLookedAt: 'Always' | 'WhenPut';
  /** Whether `AWS/Lambda` and `AWS/SQS` hold metrics of what really happened. */
  readonly hasServiceMetrics: boolean;
}

const region = 'us-east-1';

/** Nothing of this process's environment beyond what is named here: it would leak into the functions. */
export const targets: Readonly<Record<TargetName, Target>> = {
  ministack: {
    args: [],
    environment: ({ port, enforceIam }) => ({
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      AWS_DEFAULT_REGION: region,
      AUTH: String(enforceIam),
    }),
    health: '/_ministack/health',
    startSeconds: 60,
    patience: 1,
    alarmsAreLookedAt: 'Always',
    hasServiceMetrics: false,
  },
  localstack: {
    args: ['-m', 'localstack.runtime.main'],
    environment: ({ folder, port }) => ({
      GATEWAY_LISTEN: `127.0.0.1:${port}`,
      LOCALSTACK_HOST: `127.0.0.1:${port}`,
      FILESYSTEM_ROOT: path.join(folder, 'files'),
      AWS_DEFAULT_REGION: region,
      // Nothing is reported to its maker, and nothing is fetched.
      DISABLE_EVENTS: '1',
      SKIP_SSL_CERT_DOWNLOAD: '1',
      DYNAMODB_IN_MEMORY: '1',
      PROVIDER_OVERRIDE_DYNAMODB: 'v2',
      PROVIDER_OVERRIDE_DYNAMODBSTREAMS: 'v2',
      LAMBDA_RUNTIME_EXECUTOR: 'process',
      // By default it polls once a second, and once in ten where nothing came.
      LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC: '0.05',
      LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC: '0.2',
      SLUICE_NODE: process.execPath,
      SLUICE_ENVIRONMENT_PROGRAM: path.join(import.meta.dirname, '..', '..', 'localstack', 'environment.ts'),
      SLUICE_DYNAMODB_FOLDER: process.env.SLUICE_DYNAMODB_FOLDER ?? '',
    }),
    health: '/_localstack/health',
    startSeconds: 60,
    patience: 5,
    alarmsAreLookedAt: 'WhenPut',
    hasServiceMetrics: true,
  },
};

/** Throws where the variable names another. */
export function targetName(): TargetName {
  const wanted = process.env.SLUICE_DEPLOY_TARGET || 'ministack';
  const found = targetNames.find((name) => name === wanted);
  if (found) return found;
  throw new Error(`SLUICE_DEPLOY_TARGET is ${wanted}; known are ${targetNames.join(', ')}`);
}
