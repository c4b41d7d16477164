// The AWS clients of all functions: one of each per process, using the endpoint from the environment.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsTimeouts } from '../adapters/awsTimeouts.ts';

/** `requestTimeout`: milliseconds per attempt. */
export function createDocumentClient(requestTimeout?: number): DynamoDBDocumentClient {
  const client = withoutLog(new DynamoDBClient({ maxAttempts: 4, requestHandler: awsTimeouts(requestTimeout) }));
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/**
 * Without `useQueueUrlAsEndpoint: false` the client sends to the host in the queue's URL, not to the configured endpoint; in a test that
 * could be the real service. `requestTimeout`: milliseconds; a long poll needs more.
 */
export function createSqsClient(requestTimeout?: number): SQSClient {
  const requestHandler = awsTimeouts(requestTimeout);
  return withoutLog(new SQSClient({ maxAttempts: 4, requestHandler, useQueueUrlAsEndpoint: false }));
}

/** Removes the SDK's log middleware: even without a logger it copies input and output of each call to redact secrets. */
function withoutLog<C extends { readonly middlewareStack: { remove(name: string): boolean } }>(client: C): C {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
