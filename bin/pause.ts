// `npm run pause`: stops every eviction of a cluster, or of all clusters, within a second; and sets it going again.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Command, InvalidArgumentError, Option } from 'commander';
import { createDynamoDbTable } from '../lib/adapters/dynamodb/dynamoDbTable.ts';
import { describePauses, readPauses, removePause, setPause } from '../lib/state/pauseRows.ts';
import type { Table } from '../lib/table.ts';

interface Flags {
  readonly table: string;
  readonly cluster?: string;
  readonly everything?: true;
}

function clusterName(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text)) throw new InvalidArgumentError('not the name of a cluster');
  return text;
}

function pauseName(text: string): string {
  if (!/^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(text))
    throw new InvalidArgumentError('letters, digits, dashes, dots and underscores, 63 at most');
  return text;
}

function open({ table }: Flags): Table {
  const client = new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 5000 },
  });
  return createDynamoDbTable(DynamoDBDocumentClient.from(client), table);
}

/** Nobody stops everything by leaving a word out. */
function scopeOf(flags: Flags): string | undefined {
  if (flags.everything) return undefined;
  if (flags.cluster === undefined) throw new Error('what is meant? Name --cluster, or say --everything');
  return flags.cluster;
}

function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--table <name>', 'state table: output TableName of the stack')
    .option('--cluster <name>', 'one cluster', clusterName)
    .addOption(new Option('--everything', 'all clusters of the installation').conflicts('cluster'))
    .showHelpAfterError();
}

async function show(table: Table, cluster: string | undefined): Promise<void> {
  const pauses = await readPauses({ table, cluster: cluster ?? '*' });
  const mine = cluster === undefined ? pauses.filter(({ of }) => of === 'cluster') : pauses;
  const what = cluster === undefined ? 'everything' : `cluster ${cluster}`;
  console.log(mine.length === 0 ? `${what}: not paused` : `${what}: paused: ${describePauses(mine)}`);
}

new Command('pause')
  .description('Stops all evictions of a cluster or of everything; pauses stack by name.')
  .addCommand(
    command('set', 'no pod is evicted from now on, until every pause is removed')
      .argument('<name>', 'name of the pause', pauseName)
      .option('--why <text>', 'shown to whoever wonders', '')
      .action(async (name: string, flags: Flags & { readonly why: string }) => {
        const [table, cluster] = [open(flags), scopeOf(flags)];
        await setPause({ table, cluster }, { name, why: flags.why, since: Date.now() });
        await show(table, cluster);
      }),
  )
  .addCommand(
    command('remove', 'the pause is over; where it was the last one, pods go again within a minute, at their pace')
      .argument('<name>', 'name of the pause', pauseName)
      .action(async (name: string, flags: Flags) => {
        const [table, cluster] = [open(flags), scopeOf(flags)];
        await removePause({ table, cluster }, name);
        await show(table, cluster);
      }),
  )
  .addCommand(
    command('list', 'the pauses that stand').action(async (flags: Flags) => show(open(flags), scopeOf(flags))),
  )
  .parseAsync()
  .catch((error: unknown) => {
    console.error(`pause: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  });
