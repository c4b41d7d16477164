// `npm run mode`: switches Sluice off in a cluster, lets it only watch, or switches it on again, by source of taints.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { createDynamoDbTable } from '../lib/adapters/dynamodb/dynamoDbTable.ts';
import { formatMessage } from '../lib/adapters/sqs/messages.ts';
import { describeModePlan } from '../lib/decide/modePlan.ts';
import { createSqsClient } from '../lib/lambda/awsClients.ts';
import { type Mode, type Source, sources } from '../lib/model/ownership.ts';
import { readModePlan, readModes, switchModes } from '../lib/state/modeRows.ts';
import { dayOf, readDifferences } from '../lib/state/shadowRows.ts';
import type { State } from '../lib/state/state.ts';

interface Flags {
  readonly table: string;
  readonly cluster: string;
  readonly queue?: string;
}

function clusterName(text: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text)) throw new InvalidArgumentError('not the name of a cluster');
  return text;
}

function open({ table, cluster }: Flags): State {
  const client = new DynamoDBClient({
    maxAttempts: 4,
    requestHandler: { connectionTimeout: 2000, requestTimeout: 5000 },
  });
  return { table: createDynamoDbTable(DynamoDBDocumentClient.from(client), table), cluster };
}

/** Without it the next heartbeat of the watcher, at most ten seconds later, has pending evictions cancelled. */
async function tellNow(queueUrl: string): Promise<void> {
  const client = createSqsClient();
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: formatMessage({ type: 'Switched' }) }));
  client.destroy();
}

async function show(state: State): Promise<void> {
  const { modes } = await readModes(state);
  for (const source of sources) {
    const parts = [
      `runs at ${modes.applied?.[source] ?? 'what is configured'}`,
      `switched to ${modes.switched?.[source] ?? 'what is configured'}`,
    ];
    const since = modes.rising?.[source];
    const plan = since === undefined ? undefined : await readModePlan(state, source);
    if (plan)
      parts.push(`evicts again within a minute of ${new Date(plan.at).toISOString()}: ${describeModePlan(plan)}`);
    if (source === 'native' && modes.inTree)
      parts.push(`the in-tree controller was seen (${modes.inTree.evidence}): only watched until set to own again`);
    console.log(`${state.cluster} ${source}: ${parts.join('; ')}`);
  }
}

function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--table <name>', 'state table: output TableName of the stack')
    .requiredOption('--cluster <name>', 'the cluster', clusterName)
    .showHelpAfterError();
}

new Command('mode')
  .description('Who acts on which taints of a cluster: native ones, or those of Sluice\'s own kinds ("paced").')
  .addCommand(
    command('set', 'own takes back what was switched before; nothing can be raised above what is configured')
      .addArgument(new Argument('<source>', 'whose taints').choices(sources))
      .addArgument(new Argument('<mode>', 'what is done about them').choices(['own', 'shadow', 'off']))
      .option('--queue <url>', "the cluster's ingest queue, an output of the stack: takes effect now")
      .action(async (source: Source, mode: Mode, flags: Flags) => {
        const state = open(flags);
        await switchModes(state, { [source]: mode }, Date.now());
        if (flags.queue !== undefined) await tellNow(flags.queue);
        await show(state);
      }),
  )
  .addCommand(
    command('show', 'the modes, and the plan of a source that is to evict again').action(async (flags: Flags) =>
      show(open(flags)),
    ),
  )
  .addCommand(
    command('differences', 'what happened otherwise than shadow mode decided, one line of JSON each')
      .option('--day <date>', 'YYYY-MM-DD, UTC; today by default', dayOf(Date.now()))
      .action(async ({ day, ...flags }: Flags & { readonly day: string }) => {
        for (const one of await readDifferences(open(flags), day)) console.log(JSON.stringify(one));
      }),
  )
  .parseAsync()
  .catch((error: unknown) => {
    console.error(`mode: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  });
