// Opens the state table of the installation that a verb acts on; loads the AWS SDK only then.

import { awsTimeouts } from '../../adapters/awsTimeouts.ts';
import { awsText } from '../../doctor/awsRemedy.ts';
import { currentState } from '../../state/incarnationRows.ts';
import type { State } from '../../state/state.ts';
import type { Table } from '../../table.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import type { Io } from '../io.ts';
import { remedyIn } from './regionHelp.ts';
import type { Target } from './remembered.ts';
import { type Asking, configuredTarget, tellOtherStack } from './target.ts';

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
  const target = configuredTarget(call);
  tellOtherStack(call, target);
  if (target.stack === undefined && target.table === undefined)
    throw new UsageFailure('no installation is given', help);
  const { region } = target;
  if (region === undefined) throw new UsageFailure('no AWS region is set', 'specify --region NAME or set AWS_REGION');
  const tableName = await tableOf(call, { ...target, region });
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

/** The state table does not exist. */
export class MissingTable extends Failure {}

/**
 * A stack and a table must belong together, else clusters would be looked up in one installation and paused in another. The stack of two
 * that are remembered may be unreadable: the table is then used alone.
 */
async function tableOf({ flags }: Asking, { stack, table, region }: Target & { region: string }): Promise<string> {
  if (stack === undefined) return table ?? '';
  const isTyped = textFlag(flags, 'stack') !== undefined && textFlag(flags, 'table') !== undefined;
  const unread = table === undefined || isTyped ? undefined : table;
  const { MissingStack } = await import('./stack.ts');
  const found = await tableOfStack({ stack, region }).catch((error: unknown) => {
    if (unread === undefined || error instanceof MissingStack) throw error;
    return unread;
  });
  if (table === undefined || table === found) return found;
  const help = isTyped ? 'omit --table or --stack' : 'see: sluice config view; or specify --stack or --table alone';
  throw new UsageFailure(`the table of stack ${stack} is ${found}, not ${table}`, help);
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
    return new MissingTable(`there is no table ${tableName} in ${target.region}`, 'see: aws dynamodb list-tables');
  const { code = error.name } = error as NodeJS.ErrnoException;
  const why = awsText(error);
  const remedy = remedyIn(target.region, `${code} ${error.name} ${why}`);
  return remedy === undefined ? error : new Failure(`table ${tableName} in ${target.region}: ${why}`, remedy);
}
