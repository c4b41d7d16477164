// The cluster that `npm run bench:scale` generates, and the messages that a watcher would send of it.
import { fork } from 'node:child_process';
import path from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { batchesOf, sendBatch } from '../../lib/adapters/sqs/sendEntries.ts';
import { localCredentials } from '../../lib/local/aws/account.ts';
import type { JsonMap } from '../../lib/local/cluster/object.ts';
import { localClusterName } from '../../lib/local/installation.ts';
import type { Change } from '../../lib/model/change.ts';
import { clusterIdOf } from '../../lib/model/identity.ts';
import { kindSources } from '../../lib/watcher/kinds.ts';
import { packed } from '../../lib/watcher/packed.ts';
import type { Asked, Told } from './fleet.ts';
import type { BenchInstallation } from './installation.ts';

export interface Generator {
  /** DELETE requests for pods that the API server has granted. */
  deleted(): number;
  /** Connects it; a heartbeat is sent every twenty seconds from then on. */
  begin(installation: BenchInstallation): void;
  /** Answers how many rows the table has got. */
  seed(from: number): Promise<number>;
  /** Sends what a first list would show of claims and pods from `from` on. */
  list(from: number): Promise<void>;
  /** Stores manifests, and sends what a watch would show of them. */
  store(manifests: readonly JsonMap[]): Promise<void>;
  stop(): void;
}

const heartbeatEvery = 20_000;

export async function startGenerator(of: {
  readonly pods: number;
  readonly rules: number;
  readonly kubeconfig: string;
}): Promise<Generator> {
  const args = [String(of.pods), of.kubeconfig, String(of.rules)];
  const fleet = fork(path.join(import.meta.dirname, 'fleet.ts'), args);
  let deleted = 0;
  fleet.on('message', (told: Told) => {
    if (told.kind === 'Deleted') deleted = told.pods;
  });
  const told = <K extends Told['kind']>(kind: K) =>
    new Promise<Extract<Told, { kind: K }>>((resolve, reject) => {
      const end = () => reject(new Error('the simulated cluster has ended'));
      const hear = (one: Told) => {
        if (one.kind !== kind) return;
        fleet.off('message', hear);
        fleet.off('exit', end);
        resolve(one as Extract<Told, { kind: K }>);
      };
      fleet.on('message', hear);
      fleet.once('exit', end);
    });
  const ask = <K extends Told['kind']>(asked: Asked, kind: K) => {
    const answer = told(kind);
    fleet.send(asked);
    return answer;
  };
  const { incarnation } = await told('Ready');
  const cluster = clusterIdOf(localClusterName, incarnation);
  let connected: { installation: BenchInstallation; client: SQSClient; timer: NodeJS.Timeout } | undefined;
  const to = () => {
    if (!connected) throw new Error('the generator has not begun');
    return connected;
  };
  const send = async (changes: readonly Change[]) => {
    const { installation, client } = to();
    const entries = packed(changes.map((one) => ({ ...one, incarnation }))).map(({ body }) => ({
      body,
      delaySeconds: 0,
    }));
    const url = installation.queueUrl(`Sluice-ingest-${localClusterName}`);
    for (const entry of batchesOf(entries)) {
      const failed = await sendBatch(client, url, entry);
      if (failed.length > 0) throw new Error(`the queue did not take a message: ${failed[0]?.why}`);
    }
  };
  const beat = () => {
    const watched = Object.fromEntries(kindSources.map(({ kind }) => [kind, 'v1']));
    const heartbeat = { type: 'Heartbeat', at: Date.now(), clockOffset: 0, watched } as const;
    return send([heartbeat]).catch(() => undefined);
  };
  return {
    deleted: () => deleted,
    begin(installation) {
      const { AWS_REGION: region = '', AWS_ENDPOINT_URL_SQS: endpoint = '' } = installation.clientEnvironment;
      const client = new SQSClient({ region, credentials: localCredentials, endpoint, useQueueUrlAsEndpoint: false });
      connected = { installation, client, timer: setInterval(beat, heartbeatEvery) };
      void beat();
    },
    async seed(from) {
      const { installation } = to();
      const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '' } = installation.clientEnvironment;
      const table = { endpoint, tableName: installation.tableName, cluster };
      return (await ask({ kind: 'Seed', table, from }, 'Seeded')).rows;
    },
    async list(from) {
      const { objects } = await ask({ kind: 'List', from }, 'Stored');
      await send(objects.map((object) => ({ type: 'Upserted', object })));
    },
    async store(manifests) {
      const { objects } = await ask({ kind: 'Store', manifests }, 'Stored');
      await send(objects.map((object) => ({ type: 'Upserted', object })));
    },
    stop() {
      clearInterval(connected?.timer);
      connected?.client.destroy();
      if (fleet.connected) fleet.disconnect();
    },
  };
}
