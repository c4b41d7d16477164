// Rows and messages of a release, taken in the middle of evictions: what lies there when another release takes over.
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
  /** Of the API server; what comes later is newer. */
  readonly version: number;
  readonly rows: readonly Row[];
  /** By queue; `in`: milliseconds until they can be received. */
  readonly messages: Readonly<Record<string, readonly { readonly body: string; readonly in: number }[]>>;
  /** What the API server of `prod` held. */
  readonly pods: Readonly<Record<string, FakePod>>;
  readonly shown: readonly string[];
  /** UIDs, in the order of their DELETEs. */
  readonly deleted: readonly string[];
}

const start = 1_800_000_000_000;
const cluster = 'prod';
const ingestQueue = `Sluice-ingest-${cluster}`;

/** So many pods at one device, more than ingest evaluates itself. */
const podsPerDevice = 12;
/** Pods of a rule that evicts one in ten seconds, so that some of them have gone and others wait. */
export const slow = names('slow', podsPerDevice);
/** Pods of a rule whose changes are stored, and not evaluated yet. */
export const wide = names('wide', podsPerDevice);
/** They tolerate their taint for five minutes. */
export const tolerating = names('tolerating', 2);
/** Said by the watcher, and not stored yet. */
export const fresh = names('fresh', 1);
/** A rule that only asks: its plan lists them. */
export const asked = names('asked', 2);

/** Throws where nothing of that release is kept here. */
export function readRecorded(release: string): Recorded {
  const file = path.join(import.meta.dirname, `${release}.recorded.json`);
  if (!existsSync(file)) throw new Error(`${file} is missing: SLUICE_RELEASE=${release} npm run unit -- test/upgrade`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Once, when a release is made; afterwards the file is never edited. */
export function keepRecorded(release: string, recorded: Recorded): void {
  const file = path.join(import.meta.dirname, `${release}.recorded.json`);
  writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
}

/** A minute of this release, cut where a DELETE has had no answer and messages of every stage wait. */
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
  // Heartbeats come at whole quarters of a minute.
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

/** The present release over what was recorded. */
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

/** Pods that share one device by one claim. */
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
