// The emulator's known gaps: each still exists and is covered elsewhere; the test of a gap that closes fails.
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { CreateFunctionCommand, InvokeCommand, UpdateFunctionCodeCommand } from '@aws-sdk/client-lambda';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packZip } from '../../scripts/release/archive.ts';
import { gaps } from './gaps.ts';
import { type Cloud, connect } from './support/cloud.ts';
import { until } from './support/deployment.ts';
import { type Emulator, startEmulator } from './support/emulator.ts';
import { targetName } from './support/target.ts';

const known = gaps[targetName()];

describe('known gaps', () => {
  let emulator: Emulator;
  let cloud: Cloud;
  beforeAll(async () => {
    emulator = await startEmulator({ enforceIam: false });
    cloud = connect(emulator.environment);
  });
  afterAll(async () => {
    cloud?.close();
    await emulator?.stop();
  });

  const arnOf = async (QueueUrl: string | undefined) => {
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
    return (await cloud.sqs.send(asked)).Attributes?.QueueArn;
  };

  it.each(Object.entries(known))('the gap %s is covered by a file that exists', (_, { coveredBy }) => {
    expect(existsSync(path.join(import.meta.dirname, '..', '..', coveredBy))).toBe(true);
  });

  it(`moveTask: dead letters of the emulator ${'moveTask' in known ? 'cannot' : 'can'} be moved by one call`, async () => {
    const { QueueUrl: dead } = await cloud.sqs.send(new CreateQueueCommand({ QueueName: 'dead' }));
    const SourceArn = await arnOf(dead);
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: SourceArn, maxReceiveCount: 3 });
    const live = { QueueName: 'live', Attributes: { RedrivePolicy } };
    const { QueueUrl = '' } = await cloud.sqs.send(new CreateQueueCommand(live));
    await cloud.sqs.send(new SendMessageCommand({ QueueUrl: dead, MessageBody: 'letter' }));
    const task = { SourceArn, DestinationArn: await arnOf(QueueUrl) };
    const move = cloud.sqs.send(new StartMessageMoveTaskCommand(task));
    if ('moveTask' in known) return expect(move).rejects.toThrow();
    await move;
    await until('the letter is moved', async () => (await cloud.depth(QueueUrl)) === 1);
  });

  // Not tried on LocalStack.
  if ('updates' in known)
    it('updates: an invocation ends with the update of its function', async () => {
      const zip = (text: string) => packZip({ 'index.mjs': Buffer.from(text) });
      const FunctionName = 'updated';
      const update = () =>
        cloud.lambda.send(
          new UpdateFunctionCodeCommand({ FunctionName, ZipFile: zip('export const handler = () => {};') }),
        );
      // The running invocation calls it, and it answers after the function is replaced.
      const server = createServer((_, response) => void update().then(() => response.end('finished')));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        const { port } = server.address() as AddressInfo;
        const code = `export const handler = async () => (await fetch('http://127.0.0.1:${port}')).text();`;
        const Role = 'arn:aws:iam::000000000000:role/any';
        const how = { Runtime: 'nodejs24.x', Handler: 'index.handler', Timeout: 60, Role } as const;
        await cloud.lambda.send(new CreateFunctionCommand({ FunctionName, ...how, Code: { ZipFile: zip(code) } }));
        expect(await cloud.lambda.send(new InvokeCommand({ FunctionName }))).toHaveProperty('FunctionError');
      } finally {
        server.close();
        server.closeAllConnections();
      }
    });
});
