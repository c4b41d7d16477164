// How one message or manifest changes the row of an object: only versions and UIDs decide, not the order of arrival.
import { describe, expect, it } from 'vitest';
import type { Change, Manifest } from '../../lib/model/change.ts';
import type { ObjectProjection } from '../../lib/model/projection.ts';
import { objectRowKey } from '../../lib/state/mirrorKeys.ts';
import { manifestKey } from '../../lib/watcher/forward.ts';
import { createCluster, createHistory, type History } from './history.ts';
import { changed, eachKind } from './kinds.ts';

const begin = (options: Parameters<typeof createHistory>[1] = {}) => createHistory(createCluster(), options);

/** Delivers each change in a message and an invocation of its own. */
async function tell(history: History, ...changes: readonly Change[]): Promise<void> {
  for (const change of changes) await history.deliver([change]);
}

const inVersion = (object: ObjectProjection, version: number, uid = 'uid-1'): ObjectProjection => ({
  ...object,
  uid,
  resourceVersion: String(version),
});
const shown = (object: ObjectProjection, version: number, uid?: string): Change => ({
  type: 'Upserted',
  object: inVersion(object, version, uid),
});
const ended = (object: ObjectProjection, version: number, uid?: string): Change => ({
  type: 'Deleted',
  object: inVersion(object, version, uid),
});
const absent = (object: ObjectProjection, version: number): Change => ({
  type: 'Absent',
  kind: object.kind,
  key: manifestKey(object),
  resourceVersion: String(version),
});

/** A manifest of all ranges of a kind; it lists only `entry`, if given. */
const manifest = ({ kind }: ObjectProjection, version: number, entry?: ObjectProjection): Manifest => ({
  type: 'Manifest',
  kind,
  from: 0,
  to: 255,
  resourceVersion: String(version),
  entries: entry ? [{ key: manifestKey(entry), uid: entry.uid, resourceVersion: entry.resourceVersion }] : [],
});

/** `Live uid-1 1001`, or `none`. */
async function rowOf({ world }: History, object: ObjectProjection): Promise<string> {
  const row = await world.table.get(objectRowKey(world.cluster, object.kind, manifestKey(object)));
  return row ? `${row.mirror} ${row.uid} ${Number(row.at)}` : 'none';
}

describe.each(eachKind)('the row of a %s', (_, object) => {
  it('a row keeps the greatest version of its object, whatever message follows', async () => {
    const history = begin();
    await tell(history, shown(changed(object), 1002), shown(object, 1001));
    expect(await rowOf(history, object)).toBe('Live uid-1 1002');
  });

  it('a row that is gone stays gone for every message of its object, and is expected once a manifest lists it', async () => {
    const history = begin();
    await tell(history, shown(object, 1001), ended(object, 1002), shown(object, 1001), shown(object, 1003));
    expect(await rowOf(history, object)).toBe('Gone uid-1 1002');
    await tell(history, manifest(object, 1004, inVersion(object, 1003)));
    expect(await rowOf(history, object)).toBe('Expected uid-1 1003');
  });

  it('a row ignores late messages of an earlier object with the same name', async () => {
    const history = begin();
    await tell(history, shown(object, 1003, 'uid-2'), shown(object, 1001), ended(object, 1002));
    expect(await rowOf(history, object)).toBe('Live uid-2 1003');
  });

  it('a message creates no row for an object that a newer manifest does not list', async () => {
    const history = begin();
    await tell(history, manifest(object, 1005), shown(object, 1001));
    expect(await rowOf(history, object)).toBe('none');
  });

  it('a row is not live when a newer manifest is applied while its object is written', async () => {
    let during: (() => Promise<unknown>) | undefined;
    const beforeCall = async (call: string) => {
      const other = call === 'write' || call === 'transact' ? during : undefined;
      if (!other) return;
      during = undefined;
      await other();
    };
    const history = begin({ beforeCall });
    await history.heartbeat();
    during = () => tell(history, manifest(object, 1005));
    await tell(history, shown(object, 1001));
    expect(await rowOf(history, object)).toBe('Expected uid-1 1001');
    await tell(history, absent(object, 1006));
    expect(await rowOf(history, object)).toBe('Gone uid-1 1006');
  });

  it('a row is a tombstone when the deletion of its object arrives first', async () => {
    const history = begin();
    await tell(history, ended(object, 1002), shown(object, 1001));
    expect(await rowOf(history, object)).toBe('Gone uid-1 1002');
  });

  it('a row follows a manifest that is delivered again after its first application failed', async () => {
    let isBroken = false;
    const beforeCall = async (call: string) => {
      if (isBroken && call === 'queryHeads') throw new Error('throttled');
    };
    const history = begin({ beforeCall });
    await tell(history, shown(object, 1001));
    isBroken = true;
    await expect(tell(history, manifest(object, 1005))).rejects.toThrow('throttled');
    isBroken = false;
    await tell(history, manifest(object, 1005));
    expect(await rowOf(history, object)).toBe('Gone uid-1 1005');
  });

  it('a row that is gone is expected once a manifest lists a new object under its name', async () => {
    const history = begin();
    await tell(history, shown(object, 1001), ended(object, 1002));
    await tell(history, manifest(object, 1004, inVersion(object, 1003, 'uid-2')));
    expect(await rowOf(history, object)).toBe('Expected uid-2 1003');
  });

  it('a row newer than a manifest stays unchanged, whatever the manifest lists', async () => {
    const history = begin();
    await tell(history, shown(object, 1008, 'uid-2'), manifest(object, 1005, inVersion(object, 1003)));
    expect(await rowOf(history, object)).toBe('Live uid-2 1008');
  });

  it('a row newer than a list without its object stays unchanged', async () => {
    const history = begin();
    await tell(history, shown(object, 1005), absent(object, 1003));
    expect(await rowOf(history, object)).toBe('Live uid-1 1005');
  });
});
