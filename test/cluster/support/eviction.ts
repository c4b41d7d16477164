// A paced eviction of some tens of pods beside pods that must be kept, and what the API server shows of it afterwards.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { formatMessage } from '../../../lib/adapters/sqs/wire.ts';
import { localCredentials, localRegion } from '../../../lib/local/aws/account.ts';
import { build } from '../../../lib/local/build.ts';
import { deviceTaintRule, resourceSlice } from '../../../lib/local/cluster/builders.ts';
import { type JsonMap, textAt } from '../../../lib/local/cluster/object.ts';
import type { Installation } from '../../../lib/local/installation.ts';
import type { Started } from '../../../lib/local/start.ts';
import type { Change } from '../../../lib/model/change.ts';
import { type ClusterId, incarnationOf } from '../../../lib/model/identity.ts';
import { readAudit } from './audit.ts';
import { type ControlPlane, startControlPlane } from './controlPlane.ts';
import { differences } from './mirror.ts';
import { createAll, find } from './objects.ts';
import { startSluice } from './sluice.ts';
import { createUser, driver, userOf } from './users.ts';
import { waitFor } from './waitFor.ts';

const crds = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'chart', 'crds');
const taint = { key: 'example.com/bad', effect: 'NoExecute' } as const;
/** In an allocation, as a toleration without an effect is not one of every effect (docs/adr/0003-upstream-defects.md). */
export const tolerations = [{ key: taint.key, operator: 'Exists', effect: taint.effect }];
const sound = 'node-2';
/** Half of them have no grace period: some are terminating afterwards, some are gone. */
const grace = (i: number) => i % 2;

const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, i) => `${letter}${String(i).padStart(2, '0')}`);
/** On devices of the pool that the rule taints. */
export const due = numbered('due', 40);
/** On such devices too, and they tolerate the taint. */
const tolerant = numbered('tolerant', 4);
/** On devices of another pool. */
const elsewhere = numbered('elsewhere', 4);

/** An eviction that begins later is explained in the output, though it is no failure. */
const slow = 20_000;

export const ruleOf = (pool: string): JsonMap => {
  const rule = deviceTaintRule({ name: 'bad', deviceSelector: { driver, pool }, taint });
  const annotations = { 'sluice.dev/evictions-per-second': '2', 'sluice.dev/burst': '1' };
  return { ...rule, metadata: { name: 'bad', annotations } };
};
const sliceOf = (pool: string, names: readonly string[]) =>
  resourceSlice({ name: pool, driver, node: pool, devices: names.map((name) => ({ name })) });

export interface Eviction {
  readonly controlPlane: ControlPlane;
  readonly sluice: Started;
  readonly kept: readonly string[];
  /** Names of the pods that Sluice deleted, each as often as it did, after an instant. */
  deleted(after?: number): readonly string[];
  /** Sum of a metric of this cluster over all functions so far. */
  metric(name: string): number;
  /** UIDs by name, of pods that are there and not terminating. */
  alive(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  /** Fails where the mirror is not equal to the cluster in the end. */
  untilMirrored(): Promise<void>;
  /** As a dead-letter queue that is sent back. */
  sendAgain(of: ClusterId, changes: readonly Change[], limiters: readonly string[]): Promise<void>;
  /** The failure with what is known of this eviction. */
  explained(failure: unknown): Promise<Error>;
  stop(): Promise<void>;
}

/** What a cluster has before the rule. */
export async function fill(controlPlane: ControlPlane, users: { readonly onSoundDevices: readonly string[] }) {
  const applied = await controlPlane.kubectl(['apply', '-f', crds]);
  if (applied.status !== 0) throw new Error(applied.stderr);
  await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=60s', '-f', crds]);
  const isSound = new Set([...elsewhere, ...users.onSoundDevices]);
  const [bad, good] = [due, tolerant].map((names) => names.filter((name) => !isSound.has(name)));
  await createAll(controlPlane.client, [
    sliceOf('node-1', [...(bad ?? []), ...(good ?? [])]),
    sliceOf(sound, [...isSound]),
  ]);
  for (const [i, name] of [...due, ...elsewhere].entries())
    await createUser(controlPlane, { name, graceSeconds: grace(i), pool: isSound.has(name) ? sound : 'node-1' });
  for (const name of tolerant) await createUser(controlPlane, { name, tolerations });
}

/** Returns once Sluice has deleted `deletes` pods. */
export async function beginEviction({ deletes }: { readonly deletes: number }): Promise<Eviction> {
  const controlPlane = await startControlPlane({ components: [], environment: { AUDIT: '1' } });
  const metrics = new Map<string, number>();
  let sluice: Started | undefined;
  const stop = async () => {
    await sluice?.stop();
    await controlPlane.stop();
  };
  try {
    await fill(controlPlane, { onSoundDevices: [] });
    sluice = await startSluice(controlPlane, {
      modes: async () => ({ native: 'own', paced: 'own' }),
      build: { ...(await build()), logFile: path.join(controlPlane.folder, 'sluice.log') },
      onLog: (_, line) => count(metrics, line),
    });
    const eviction = evictionOf({ controlPlane, sluice, metrics, stop });
    await createAll(controlPlane.client, [ruleOf('node-1')]);
    const began = performance.now();
    await waitFor(async () => (eviction.deleted().length >= deletes ? true : undefined), 60_000);
    if (performance.now() - began > slow) console.error(await whatIsKnown(controlPlane, sluice, metrics));
    return eviction;
  } catch (error) {
    const failure = await explained(error, () => whatIsKnown(controlPlane, sluice, metrics));
    await stop();
    throw failure;
  }
}

/** A failure with what is known of the eviction, as the end of CI's output shows only errors. */
async function explained(error: unknown, known: () => Promise<string>): Promise<Error> {
  const text = error instanceof Error ? error.message : String(error);
  return new Error(`${text}\n${await known()}`, { cause: error });
}

const wallBegan = Date.now() - performance.now();

/** What the rule reports, how far the machine's clock was set, dropped tokens, errors, and the end of the log without metrics. */
async function whatIsKnown(
  controlPlane: ControlPlane,
  sluice: Started | undefined,
  metrics: ReadonlyMap<string, number>,
): Promise<string> {
  try {
    const rule = await controlPlane.kubectl(['get', 'devicetaintrules', 'bad', '-o', 'jsonpath={.status.conditions}']);
    const log = sluice === undefined ? [] : readFileSync(sluice.logs.path, 'utf8').trimEnd().split('\n');
    const said = log.filter((line) => !line.includes('"_aws"')).map((line) => line.slice(0, 400));
    return [
      rule.stdout + rule.stderr,
      `the clock was set by ${Math.round(Date.now() - performance.now() - wallBegan)} ms`,
      JSON.stringify(Object.fromEntries(metrics)),
      `${sluice?.logs.errors()} errors, last: ${sluice?.logs.lastError()}`,
      ...said.slice(-25),
    ].join('\n');
  } catch (error) {
    // The caller still has to stop everything, and to throw what it was asked about.
    return `neither rule nor log can be read: ${error}`;
  }
}

function evictionOf(of: {
  readonly controlPlane: ControlPlane;
  readonly sluice: Started;
  readonly metrics: ReadonlyMap<string, number>;
  readonly stop: () => Promise<void>;
}): Eviction {
  const { controlPlane, sluice, metrics } = of;
  const { installation } = sluice;
  return {
    controlPlane,
    sluice,
    stop: of.stop,
    explained: (failure) => explained(failure, () => whatIsKnown(controlPlane, sluice, metrics)),
    kept: [...tolerant, ...elsewhere],
    deleted: (after = 0) =>
      readAudit(controlPlane)
        .filter(({ verb, resource, status }) => verb === 'delete' && resource === 'pods' && status < 300)
        .filter(({ userAgent, receivedAt }) => userAgent.startsWith('sluice') && receivedAt > after)
        .map(({ name }) => name),
    metric: (name) => metrics.get(name) ?? 0,
    async alive(names) {
      const found = await Promise.all(names.map((name) => find(controlPlane.client, userOf(name))));
      const standing = found.flatMap((pod) =>
        pod && textAt(pod, 'metadata', 'deletionTimestamp') === undefined ? [pod] : [],
      );
      return Object.fromEntries(
        standing.map((pod) => [textAt(pod, 'metadata', 'name') ?? '', textAt(pod, 'metadata', 'uid') ?? '']),
      );
    },
    async untilMirrored() {
      let last: readonly string[] = [];
      const isEqual = async () => {
        // A read that fails on a busy machine is made again.
        last = await differences(controlPlane, installation).catch((error: unknown) => [String(error)]);
        return last.length === 0 ? true : undefined;
      };
      await waitFor(isEqual, 150_000).catch(() => {
        throw new Error(`the mirror differs from the cluster:\n${last.join('\n')}`);
      });
    },
    sendAgain: (cluster, changes, limiters) => sendAgain(installation, { cluster, changes, limiters }),
  };
}

/** Adds what an EMF line says. */
function count(metrics: Map<string, number>, line: string): void {
  if (!line.includes('"_aws"')) return;
  const { _aws, ...values } = JSON.parse(line) as Record<string, unknown>;
  for (const [name, value] of Object.entries(values)) {
    const sum = [value].flat().reduce<number>((total, one) => total + (typeof one === 'number' ? one : 0), 0);
    metrics.set(name, (metrics.get(name) ?? 0) + sum);
  }
}

async function sendAgain(
  { aws }: Installation,
  of: { readonly cluster: ClusterId; readonly changes: readonly Change[]; readonly limiters: readonly string[] },
): Promise<void> {
  const { cluster } = of;
  const client = new SQSClient({
    region: localRegion,
    credentials: localCredentials,
    endpoint: aws.clientEnvironment.AWS_ENDPOINT_URL_SQS ?? '',
    useQueueUrlAsEndpoint: false,
  });
  const send = (queue: string, body: object) =>
    client.send(new SendMessageCommand({ QueueUrl: aws.queueUrl(queue), MessageBody: formatMessage(body) }));
  try {
    for (const change of of.changes)
      await send('Sluice-ingest-local', { ...change, incarnation: incarnationOf(cluster) });
    for (const limiter of of.limiters) await send('evict', { cluster, limiter });
  } finally {
    client.destroy();
  }
}
