// Tells the ingest queue of a cluster that its modes were switched, so that they take effect now.
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { formatMessage } from '../../adapters/sqs/wire.ts';
import { createSqsClient } from '../../lambda/awsClients.ts';

export async function tellSwitched(queueUrl: string): Promise<void> {
  const client = createSqsClient();
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: formatMessage({ type: 'Switched' }) }));
  client.destroy();
}
