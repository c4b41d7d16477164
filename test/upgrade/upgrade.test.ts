// Compatibility with earlier releases: an old watcher with new functions, and new messages with old functions.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { project } from '../../lib/adapters/kubernetes/project.ts';
import { formatMessage, messageVersion } from '../../lib/adapters/sqs/wire.ts';
import { type Stage, stages } from '../../lib/contract.ts';
import type { ObjectKind } from '../../lib/model/projection.ts';
import { createLife, type Life } from '../alarms/life.ts';
import { readRelease } from './release.ts';

const releases = ['0.2.0'];
const examples = path.join(import.meta.dirname, '..', '..', 'deploy', 'examples');
const start = 1_800_000_000_000;

/** The file of a published release is never written again. */
const hint =
  'send it in a form that the release reads; or, before it is out: SLUICE_RELEASE=<release> npm run unit -- test/upgrade';

/** The stage of a queue: evict for `Sluice-evict-edge`. */
const stageOf = (queue: string) => stages.find((stage) => queue.startsWith(`Sluice-${stage}`));

/** Half an hour of two clusters with failing devices; `through` rewrites every message that is sent to a queue. */
async function liveWith(through: (stage: Stage, body: string) => string): Promise<Life> {
  const life = createLife(start);
  const { send } = life.account;
  life.account.send = (queue, { body, ...when }) => {
    const stage = stageOf(queue.name);
    if (!stage) throw new Error(`${queue.name} is of no stage`);
    send(queue, { ...when, body: through(stage, body) });
  };
  await life.live(30);
  return life;
}
const evicted = ({ api }: Life) => Object.values(api).map(({ deletes }) => deletes.length);
const setAside = ({ queues }: Life) => queues.flatMap(({ name, dead }) => dead.map(({ body }) => `${name} ${body}`));
const unreadable = ({ queues, account }: Life) =>
  queues.filter(({ name }) => {
    const metric = { namespace: 'Sluice', name: 'MessagesPoison', dimensions: { cluster: name } };
    return account.metrics.statistic(metric, { statistic: 'Sum', from: start, period: 1_800_000 }) !== undefined;
  });

/** Watcher messages for every example of Sluice's own kinds; files in `configuration` are not objects of a cluster. */
const exampleBodies = readdirSync(examples, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml') && !file.startsWith(`configuration${path.sep}`))
  .map((file) => {
    const manifest = parse(readFileSync(path.join(examples, file), 'utf8'));
    const metadata = { ...manifest.metadata, uid: 'uid', resourceVersion: '7', generation: 1 };
    const projected = project(manifest.kind as ObjectKind, { ...manifest, metadata });
    if (projected.kind !== 'Projected') throw new Error(`${file} is not read: ${JSON.stringify(projected)}`);
    return [file, formatMessage({ type: 'Upserted', incarnation: 'uid-1', object: projected.object })] as const;
  });

describe.each(releases)('compatibility with release %s', (name) => {
  const release = readRelease(name);
  const sent: { readonly stage: Stage; readonly body: string }[] = [];
  let usual: Life;

  beforeAll(async () => {
    usual = await liveWith((stage, body) => {
      sent.push({ stage, body });
      return body;
    });
  });

  it('the release has the current message version, without which functions refuse its messages', () => {
    expect(release.messageVersion).toBe(messageVersion);
  });

  it('new functions evict as many pods with an old watcher as with a new one, and refuse no message', async () => {
    const life = await liveWith((stage, body) => (stage === 'ingest' ? release.asWritten(stage, body) : body));
    expect(evicted(life)).toEqual(evicted(usual));
    expect(Math.min(...evicted(life))).toBeGreaterThan(100);
    expect([...setAside(life), ...unreadable(life)]).toEqual([]);
  });

  it('new functions process the messages of old functions, and refuse none', async () => {
    const life = await liveWith((stage, body) => release.asWritten(stage, body));
    expect(evicted(life)).toEqual(evicted(usual));
    expect([...setAside(life), ...unreadable(life)]).toEqual([]);
  });

  it.each(stages)('old functions accept every message that is sent to %s, so that a roll back loses none', (stage) => {
    const mine = sent.filter((one) => one.stage === stage);
    expect(mine.length).toBeGreaterThan(10);
    expect(
      mine.flatMap(({ body }) => release.refuses(stage, body) ?? []),
      hint,
    ).toEqual([]);
  });

  it.each(exampleBodies)('old functions accept the message of a new watcher for deploy/examples/%s', (_, body) => {
    expect(release.refuses('ingest', body), hint).toBeUndefined();
  });

  it('old functions refuse a message that lacks a required field or has another version', () => {
    expect(release.refuses('evict', '{"version":1,"cluster":"prod@uid"}')).toMatch(/limiter/);
    expect(release.refuses('evict', '{"version":1,"cluster":"prod@uid","limiter":"rule|a"}')).toBeUndefined();
    expect(release.refuses('evict', '{"version":2,"cluster":"prod@uid","limiter":"rule|a"}')).toBeDefined();
  });
});
