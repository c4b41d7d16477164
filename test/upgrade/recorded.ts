// Rows and messages of a release, recorded in the middle of evictions, for another release to take over.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { formatMessage } from '../../lib/adapters/sqs/wire.ts';
import { type Change, singleChanges } from '../../lib/model/change.ts';
import type { DeviceTaintRule } from '../../lib/model/objects.ts';
import { ruleRef } from '../../lib/model/rule.ts';
import type { Row } from '../../lib/table.ts';
import { createLife, type Life } from '../alarms/life.ts';
import type { FakePod } from '../support/fakes/apiServer.ts';
import { liveIncarnation } from '../support/fakes/liveCluster.ts';
import { aClaim, aPod, aRule, driver, nextVersion, upserted } from '../support/objects.ts';

export interface Recorded {
  /** Epoch ms. */
  readonly at: number;
  /** The resourceVersion that the API server has reached. */
  readonly version: number;
  readonly rows: readonly Row[];
  /** By queue; `in` is the time in milliseconds until a message is visible. */
  readonly messages: Readonly<Record<string, readonly { readonly body: string; readonly in: number }[]>>;
  /** The pods of the API server of `prod`. */
  readonly pods: Readonly<Record<string, FakePod>>;
  readonly shown: readonly string[];
  /** UIDs, in the order of their DELETEs. */
  readonly deleted: readonly string[];
}

const start = 1_800_000_000_000;
const cluster = 'prod';
const ingestQueue = `Sluice-ingest-${cluster}`;

/** Pods that share one device: more than ingest evaluates itself. */
const podsPerDevice = 12;
/** Pods of a rule that evicts one in ten seconds: some are evicted, the others are pending. */
export const slow = names('slow', podsPerDevice);
/** Pods whose rule is stored, and not evaluated yet. */
export const wide = names('wide', podsPerDevice);
/** Pods that tolerate their taint for five minutes. */
export const tolerating = names('tolerating', 2);
/** A pod that the watcher has sent and ingest has not stored yet. */
export const fresh = names('fresh', 1);
/** Pods of a dry-run rule: its plan lists them. */
export const asked = names('asked', 2);

/** Throws when there is no recording of that release. */
export function readRecorded(release: string): Recorded {
  const file = path.join(import.meta.dirname, `${release}.recorded.json`);
  if (!existsSync(file)) throw new Error(`${file} is missing: SLUICE_RELEASE=${release} npm run unit -- test/upgrade`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Called once, when a release is made; the file is never edited afterwards. */
export function keepRecorded(release: string, recorded: Recorded): void {
  const file = path.join(import.meta.dirname, `${release}.recorded.json`);
  writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
}

/** A minute of the current release, cut where a DELETE has had no answer and messages of every stage are queued. */
export async function record(): Promise<Recorded> {
  const life = createLife(start);
  const said: string[] = [];
  const say = sayTo(life, (body) => said.push(body));
  use(life, say, { device: 'slow', pods: slow });
  use(life, say, { device: 'tolerating', pods: tolerating, seconds: 300 });
  use(life, say, { device: 'asked', pods: asked });
  taint(life, say, 'slow', { annotations: { 'sluice.dev/evictions-per-second': '0.1', 'sluice.dev/burst': '1' } });
  taint(life, say, 'tolerating', {});
  taint(life, say, 'asked', {}, 'None');
  await life.live(1);
  const server = serverOf(life);
  server.unheardDeletes = 1;
  const before = server.deletes.length;
  while (server.deletes.length === before) await life.live(1 / 60);
  use(life, say, { device: 'wide', pods: wide });
  taint(life, say, 'wide', {});
  await life.account.deliver([life.queue(ingestQueue)]);
  use(life, say, { device: 'fresh', pods: fresh });
  taint(life, say, 'fresh', {});
  // Heartbeats arrive at whole quarters of a minute.
  const at = Math.ceil(life.account.now() / 60_000) * 60_000;
  return {
    at,
    version: Number(nextVersion()),
    rows: life.table.rows(),
    messages: Object.fromEntries(
      life.queues.map(({ name, messages }) => [
        name,
        messages.map(({ body, visibleAt }) => ({ body, in: Math.max(0, visibleAt - at) })),
      ]),
    ),
    pods: Object.fromEntries(server.pods),
    shown: said,
    deleted: server.deletes.map(({ pod }) => pod.uid),
  };
}

/** The current release, started on the recorded rows and messages. */
export async function resume(recorded: Recorded): Promise<Life> {
  const life = createLife(recorded.at);
  while (Number(nextVersion()) < recorded.version);
  for (const row of recorded.rows) await life.table.write({ kind: 'Put', row });
  for (const [name, messages] of Object.entries(recorded.messages))
    for (const { body, in: later } of messages)
      life.account.send(life.queue(name), { body, delaySeconds: later / 1000 });
  const server = serverOf(life);
  for (const [key, pod] of Object.entries(recorded.pods)) server.pods.set(key, pod);
  for (const body of recorded.shown) {
    const read = parseChange(body);
    if (read.kind === 'Poison') throw new Error(read.why);
    const changes = singleChanges(read.value);
    server.live.observe(changes);
    for (const change of changes)
      if (change.type === 'Upserted' && change.object.kind === 'DeviceTaintRule')
        server.rules.set(ruleRef(change.object), { rule: change.object, conditions: [] });
  }
  return life;
}

type Say = (change: Change) => void;

function sayTo(life: Life, note: (body: string) => void): Say {
  return (change) => {
    const body = formatMessage({ ...change, incarnation: liveIncarnation });
    serverOf(life).live.observe([change]);
    life.account.send(life.queue(ingestQueue), { body });
    note(body);
  };
}

/** Adds pods that share one device through one claim. */
function use(
  life: Life,
  say: Say,
  { device, pods, seconds }: { readonly device: string; readonly pods: readonly string[]; readonly seconds?: number },
): void {
  const made = pods.map((name) =>
    aPod(name, { resourceClaims: [{ name: 'gpu', resourceClaimName: `claim-${device}` }] }),
  );
  const tolerations =
    seconds === undefined ? [] : [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds } as const];
  const allocation = { devices: [{ request: 'gpu', driver, pool: 'node-1', device, tolerations }] };
  const reservedFor = made.map(({ name, uid }) => ({ resource: 'pods', name, uid }));
  say(upserted(aClaim(device, device, { reservedFor, allocation })));
  for (const pod of made) {
    serverOf(life).pods.set(`default/${pod.name}`, { uid: pod.uid, terminating: false, marked: false });
    say(upserted(pod));
  }
}

function taint(
  life: Life,
  say: Say,
  device: string,
  pace: Pick<DeviceTaintRule, 'annotations'>,
  effect: 'NoExecute' | 'None' = 'NoExecute',
): void {
  const at = life.account.now();
  const taint = { key: 'example.com/bad', effect, timeAdded: at };
  const rule = aRule(device, at, { deviceSelector: { driver, device }, taint, ...pace });
  serverOf(life).rules.set(ruleRef(rule), { rule, conditions: [] });
  say(upserted(rule));
}

function serverOf({ api }: Life) {
  const server = api[cluster];
  if (!server) throw new Error(`there is no cluster ${cluster}`);
  return server;
}

function names(device: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `${device}-${i}`);
}
