// The table and the queues as the releases before this one left them: the present functions carry on from there, and back.
import { beforeAll, describe, expect, it } from 'vitest';
import { windowsOf } from '../../lib/local/scenario/figures.ts';
import type { Row } from '../../lib/table.ts';
import type { Life } from '../alarms/life.ts';
import {
  asked,
  fresh,
  keepRecorded,
  type Recorded,
  readRecorded,
  record,
  resume,
  slow,
  tolerating,
  wide,
} from './recorded.ts';

const releases = ['0.2.0'];
const due = [...slow, ...wide, ...tolerating, ...fresh];
/**
 * Rows that a release is given no more, and what a roll back to it lacks therefore (docs/install.md): it does not settle an eviction
 * that was interrupted, finds no record of this release by the name of a pod, and counts pods that are being deleted as pending.
 */
const notWritten = [/#INTENT#/, /#RECORDS#POD#/, /#LIMITER#\S+ D#/];
const uidOf = (name: string) => `uid-${name}`;

describe.each(releases)('over the rows and messages of release %s', (name) => {
  let present: Recorded;
  let recorded: Recorded;
  let life: Life;
  const deletes = () => life.api.prod?.deletes ?? [];

  beforeAll(async () => {
    present = await record();
    if (process.env.SLUICE_RELEASE === name) keepRecorded(name, present);
    recorded = readRecorded(name);
    life = await resume(recorded);
    await life.live(8);
  });

  it('were taken half way: pods have gone, pods wait, a DELETE has had no answer, and messages of every stage lie there', () => {
    expect(recorded.deleted.length).toBeGreaterThan(2);
    expect(recorded.deleted.length).toBeLessThan(slow.length);
    const waiting = Object.entries(recorded.messages).filter(([, messages]) => messages.length > 0);
    expect(waiting.map(([queue]) => queue).toSorted()).toEqual([
      'Sluice-evaluate',
      'Sluice-evict',
      'Sluice-ingest-prod',
      'Sluice-report',
    ]);
  });

  it('every due pod is evicted once, those that went before among them, and no other pod', () => {
    const mine = deletes().map(({ pod }) => pod.uid);
    const ours = mine.filter((uid) => [...due, ...asked].map(uidOf).includes(uid));
    expect([...recorded.deleted, ...ours].toSorted()).toEqual(due.map(uidOf).toSorted());
  });

  it('a slow rule keeps its pace', () => {
    const times = deletes().filter(({ pod }) => slow.map(uidOf).includes(pod.uid));
    for (const { count, length } of windowsOf(times.map(({ at }) => at)))
      expect(count).toBeLessThanOrEqual(1 + (0.1 * (length + 1000)) / 1000);
  });

  it('nothing is set aside, refused or left to be done', () => {
    expect(life.queues.flatMap(({ dead }) => dead)).toEqual([]);
    const unfinished = life.table
      .rows()
      .filter(({ sk, ...row }) => 'due' in row && due.some((pod) => sk.includes(pod)));
    expect(unfinished).toEqual([]);
  });

  it('a roll back finds every attribute that the release wrote, of its type, in the rows that are written now, but for those that it is said to lack', () => {
    const now = Map.groupBy(present.rows, kindOf);
    const missing = recorded.rows
      .filter((row) => !notWritten.some((kind) => kind.test(kindOf(row))))
      .flatMap((row) => {
        const same = now.get(kindOf(row)) ?? [];
        const isWritten = ([attribute, value]: [string, unknown]) =>
          same.some((one) => typeOf(one[attribute]) === typeOf(value));
        const lost = Object.entries(row).filter((one) => !isWritten(one));
        return lost.map(([attribute, value]) => `${kindOf(row)}: ${attribute}, which was of type ${typeOf(value)}`);
      });
    expect(missing).toEqual([]);
  });
});

/** Rows of one kind differ in numbers alone: which pod, when, which shard. */
function kindOf({ pk, sk }: Row): string {
  return `${pk} ${sk}`.replace(/\d+/g, 'N');
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
