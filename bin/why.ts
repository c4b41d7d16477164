// `npm run why`: why a pod was evicted, waits to be, or stays; what a rule or a device had evicted.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Command, InvalidArgumentError } from 'commander';
import { createDynamoDbTable } from '../lib/adapters/dynamodb/dynamoDbTable.ts';
import type { DeviceId } from '../lib/model/identity.ts';
import { explainRecords, readWhy, renderWhy } from '../lib/view/why.ts';

interface Flags {
  readonly table: string;
  readonly cluster: string;
  readonly rule?: string;
  readonly device?: DeviceId;
  readonly limit: number;
}

/** A pool's name may hold slashes, a driver's and a device's may not. */
function deviceOf(text: string): DeviceId {
  const [driver = '', ...rest] = text.split('/');
  const device = rest.pop() ?? '';
  if (driver === '' || rest.length === 0 || device === '') throw new InvalidArgumentError('write driver/pool/device');
  return { driver, pool: rest.join('/'), device };
}

function limitOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('write a number from 1 to 9999');
  return Number(text);
}

new Command('why')
  .description('Says why a pod was evicted, waits to be, or stays, and what a rule or a device had evicted.')
  .argument('[pod]', 'namespace/name, or the UID of a pod')
  .option(
    '--rule <name>',
    'what it had evicted: NAME, PacedTaintRule/NAME, ResourceSlice/NAME or DeviceTaintSlice/NAME',
  )
  .option('--device <device>', 'what was evicted from it: driver/pool/device', deviceOf)
  .option('--limit <count>', 'of rule or device: so many, newest first', limitOf, 20)
  .requiredOption('--cluster <name>', 'cluster of the pod')
  .requiredOption('--table <name>', 'state table: output TableName of the stack')
  .showHelpAfterError()
  .action(async (pod: string | undefined, { table, cluster, rule, device, limit }: Flags, command: Command) => {
    if ([pod, rule, device].filter((one) => one !== undefined).length !== 1)
      command.error('error: name one of a pod, --rule or --device');
    const client = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 4 }));
    const state = { table: createDynamoDbTable(client, table), cluster };
    const lines =
      rule !== undefined
        ? await explainRecords(state, { kind: 'Rule', rule }, limit)
        : device
          ? await explainRecords(state, { kind: 'Device', device }, limit)
          : renderWhy(pod ?? '', await readWhy(state, pod ?? '', Date.now()));
    for (const line of lines) console.log(line);
  })
  .parseAsync()
  .catch((error: unknown) => {
    console.error(`why: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  });
