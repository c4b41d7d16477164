// Sends a Switched message to the ingest queue of a cluster, so that new modes take effect at once.
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { formatMessage } from '../../adapters/sqs/wire.ts';
import { createSqsClient } from '../../lambda/awsClients.ts';
import type { ChangeMessage } from '../../model/change.ts';
import type { Incarnation } from '../../model/identity.ts';

export async function tellSwitched(queueUrl: string, incarnation: Incarnation): Promise<void> {
  const message: ChangeMessage = { type: 'Switched', incarnation };
  const client = createSqsClient();
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: formatMessage(message) }));
  client.destroy();
}
