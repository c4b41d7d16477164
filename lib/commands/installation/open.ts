// Opens the state table of the installation given by options, environment or `sluice config use`; loads the AWS SDK only then.

import { awsTimeouts } from '../../adapters/awsTimeouts.ts';
import { findConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { awsText } from '../../doctor/awsRemedy.ts';
import { defaultStackName } from '../../outputs.ts';
import { currentState } from '../../state/incarnationRows.ts';
import type { State } from '../../state/state.ts';
import type { Table } from '../../table.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import type { Io } from '../io.ts';
import { remedyIn } from './regionHelp.ts';
import { currentTarget, type Target } from './remembered.ts';

type Asking = Pick<Call, 'flags' | 'io'>;

/** Options (including `--config`) take precedence over the environment, and that over what is remembered. */
export function targetOf(call: Asking): Target {
  const { flags, io } = call;
  const kept = currentTarget(io.env);
  const inFile: Target = textFlag(flags, 'config') === undefined ? {} : stackOfFile(call);
  const option = (name: keyof Target) =>
    textFlag(flags, name) ?? (name === 'stack' && textFlag(flags, 'table') !== undefined ? undefined : inFile[name]);
  const pick = (name: keyof Target, variable: string | undefined) =>
    option(name) ?? (variable || undefined) ?? kept[name];
  // A stack or table on the command line may be another installation than the remembered one: do not mix them.
  const isNamed = (option('stack') ?? option('table')) !== undefined;
  const found: Record<keyof Target, string | undefined> = {
    stack: isNamed ? option('stack') : pick('stack', io.env.SLUICE_STACK),
    region: pick('region', io.env.AWS_REGION ?? io.env.AWS_DEFAULT_REGION),
    table: isNamed ? option('table') : pick('table', io.env.SLUICE_TABLE),
    cluster: pick('cluster', io.env.SLUICE_CLUSTER),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Target;
}

/** For verbs that need an installation: like `targetOf`, with sluice.yaml as the last resort. */
export function configuredTarget(call: Asking): Target {
  return { ...stackOfFile(call), ...targetOf(call) };
}

function configOf({ flags, io }: Asking): Config | undefined {
  return findConfig({ file: textFlag(flags, 'config'), environment: io.env, folder: process.cwd() })?.config;
}

/** Clusters of sluice.yaml; absent without `--config`, SLUICE_CONFIG and ./sluice.yaml. */
export function clustersOfFile({ file, io }: Pick<OpenInstallation, 'file' | 'io'>): readonly string[] | undefined {
  const found = findConfig({ file, environment: io.env, folder: process.cwd() });
  return found?.config.clusters.map(({ name }) => name).sort();
}

function stackOfFile(call: Asking): Pick<Target, 'stack' | 'region'> {
  const found = configOf(call);
  const { name, region } = found?.stack ?? {};
  return found ? { stack: name ?? defaultStackName, ...(region === undefined ? {} : { region }) } : {};
}

/** With an explicit table, ignores the stack of sluice.yaml, which may not be deployed. */
function openedTarget(call: Asking): Target {
  const named = targetOf(call);
  const { stack, ...others } = configuredTarget(call);
  return stack === undefined || (named.table !== undefined && named.stack === undefined)
    ? others
    : { ...others, stack };
}

/** AWS account required by sluice.yaml. */
export function configuredAccount(call: Asking): string | undefined {
  return configOf(call)?.stack?.account;
}

/** Whether options, environment or memory name an installation; some verbs need only a kubeconfig. */
export function hasInstallation(call: Asking): boolean {
  const { stack, table } = targetOf(call);
  return stack !== undefined || table !== undefined;
}

/**
 * For verbs that read the installation where there is one. Throws for a `--cluster` without an installation: the answer would be about
 * the cluster of the kubeconfig, whatever name was written.
 */
export function readsInstallation(call: Asking): boolean {
  if (hasInstallation(call)) return true;
  const cluster = textFlag(call.flags, 'cluster');
  if (cluster === undefined) return false;
  throw new UsageFailure(
    `--cluster ${cluster} is a cluster of an installation, and no installation is given`,
    'specify --stack NAME or --table NAME, or omit --cluster',
  );
}

/** Whether the command line itself names the installation. */
export function isInstallationNamed({ flags }: Asking): boolean {
  return ['table', 'stack', 'config'].some((name) => textFlag(flags, name) !== undefined);
}

export interface OpenInstallation {
  readonly table: Table;
  readonly tableName: string;
  readonly target: Target;
  /** Value of `--config`. */
  readonly file: string | undefined;
  readonly io: Pick<Io, 'env'>;
  close(): void;
}

const help = 'specify --table NAME or --stack NAME, or save it: sluice config use NAME --stack STACK';

export async function openInstallation(call: Asking): Promise<OpenInstallation> {
  const target = openedTarget(call);
  if (target.stack === undefined && target.table === undefined)
    throw new UsageFailure('no installation is given', help);
  const { region } = target;
  if (region === undefined) throw new UsageFailure('no AWS region is set', 'specify --region NAME or set AWS_REGION');
  const tableName = target.table ?? (await tableOfStack({ stack: target.stack ?? '', region }));
  const [{ DynamoDBClient }, { DynamoDBDocumentClient }, { createDynamoDbTable }] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('@aws-sdk/lib-dynamodb'),
    import('../../adapters/dynamodb/dynamoDbTable.ts'),
  ]);
  const client = new DynamoDBClient({
    region,
    maxAttempts: 3,
    requestHandler: awsTimeouts(),
  });
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  return {
    table: createDynamoDbTable(documents, tableName),
    tableName,
    target,
    file: textFlag(call.flags, 'config'),
    io: call.io,
    close: () => client.destroy(),
  };
}

async function tableOfStack(of: { readonly stack: string; readonly region: string }): Promise<string> {
  const { describeOutputs } = await import('./stack.ts');
  const name = (await describeOutputs(of)).get('TableName');
  if (name === undefined) throw new Failure(`stack ${of.stack} in ${of.region} has no output TableName`, help);
  return name;
}

/** Opens the table, runs `work` and closes it; turns AWS errors into a Failure with a remedy. */
export async function withInstallation<T>(call: Asking, work: (open: OpenInstallation) => Promise<T>): Promise<T> {
  const open = await openInstallation(call);
  try {
    return await work(open);
  } catch (error) {
    throw awsFailure(error, open);
  } finally {
    open.close();
  }
}

/** State of the selected cluster. Does not check that the cluster exists: see `requireCluster`. */
export async function stateOf({ table, target }: OpenInstallation): Promise<State> {
  if (target.cluster === undefined)
    throw new UsageFailure('no cluster is given', 'specify --cluster NAME; see: sluice get clusters');
  return currentState(table, target.cluster);
}

export function awsFailure(
  error: unknown,
  { tableName, target }: Pick<OpenInstallation, 'tableName' | 'target'>,
): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error;
  if (error.name === 'ResourceNotFoundException')
    return new Failure(`there is no table ${tableName} in ${target.region}`, 'see: aws dynamodb list-tables');
  const { code = error.name } = error as NodeJS.ErrnoException;
  const why = awsText(error);
  const remedy = remedyIn(target.region, `${code} ${error.name} ${why}`);
  return remedy === undefined ? error : new Failure(`table ${tableName} in ${target.region}: ${why}`, remedy);
}
