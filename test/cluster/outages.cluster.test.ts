// The real program during an eviction on a real control plane, when a process or the data of etcd is lost.
import { describe, expect, it } from 'vitest';
import type { Change } from '../../lib/model/change.ts';
import { readLimiters } from '../support/limiters.ts';
import { beginFrom, copyEtcd, kill, startAgain } from './support/components.ts';
import { beginEviction, due, type Eviction, fill, ruleOf, tolerations } from './support/eviction.ts';
import { readObjects } from './support/mirror.ts';
import { createAll, mergePatch, remove } from './support/objects.ts';
import { createUser, userOf } from './support/users.ts';
import { waitFor } from './support/waitFor.ts';

const minutes = 60_000;
/** Deleted before the outage. */
const first = 6;

/** A test of its own control plane and installation, so that several can run side by side: they mostly wait. */
const inTheMiddle = (test: (running: Eviction) => Promise<void>) => async () => {
  const running = await beginEviction({ deletes: first });
  try {
    await test(running);
  } catch (error) {
    throw await running.explained(error);
  } finally {
    await running.stop();
  }
};

describe.concurrent('in the middle of a paced eviction', { timeout: 5 * minutes }, () => {
  it(
    'a killed watcher loses no eviction: every due pod is deleted once, the others are kept, and the mirror equals the cluster',
    inTheMiddle(async (running) => {
      const keptBefore = await running.alive(running.kept);
      const pid = running.sluice.installation.watcher.pid() ?? 0;
      process.kill(pid, 'SIGKILL');
      const spared = await makeTolerant(running);
      await waitFor(async () => (running.sluice.installation.watcher.pid() === pid ? undefined : true));
      await endsWith(running, { keptBefore: { ...keptBefore, ...spared } });
    }),
  );

  it(
    'a restarted API server loses no eviction: every due pod is deleted once, the others are kept, and the mirror equals the cluster',
    inTheMiddle(async (running) => {
      const keptBefore = await running.alive(running.kept);
      await kill(running.controlPlane, 'kube-apiserver');
      await startAgain(running.controlPlane, 'kube-apiserver');
      const spared = await makeTolerant(running);
      await endsWith(running, { keptBefore: { ...keptBefore, ...spared } });
    }),
  );

  it(
    'etcd restored from an older copy is reported by a metric, and with another incarnation every due pod of the copy is deleted once',
    inTheMiddle(async (running) => {
      const { controlPlane, sluice } = running;
      const { cluster } = await sluice.installation.state();
      const copy = copyEtcd(controlPlane);
      const keptBefore = await running.alive(running.kept);
      await waitFor(async () => (running.deleted().length >= first + 10 ? true : undefined), 60_000);
      const limiters = await readLimiters(await sluice.installation.state());
      const old = await changesOf(running);
      await writeMuch(running, 400);
      const restoredAt = await beginFrom(controlPlane, copy);
      const left = Object.keys(await running.alive(due));
      const copied = [...new Set([...left, ...running.deleted(restoredAt)])].toSorted();
      expect(running.deleted().filter((name) => copied.includes(name)).length).toBeGreaterThan(0);
      await waitFor(async () => (running.metric('RevisionWentBack') > 0 ? true : undefined), 2 * minutes);
      const annotation = 'sluice.dev/incarnation=restored-1';
      const said = await controlPlane.kubectl(['annotate', '--overwrite', 'namespace', 'kube-system', annotation]);
      expect(said).toMatchObject({ status: 0 });
      await waitFor(async () => {
        const now = await sluice.installation.state();
        return now.cluster === `${cluster}.restored-1` ? true : undefined;
      }, minutes);
      await running.sendAgain(cluster, old, limiters);
      await endsWith(running, { keptBefore, due: copied, after: restoredAt });
      expect(running.metric('ClustersUnderOneName')).toBe(0);
    }),
  );

  it(
    'a cluster created again under its name is reported by a metric, and neither rows nor messages of the previous cluster delete a pod',
    inTheMiddle(async (running) => {
      const { controlPlane, sluice } = running;
      const { cluster } = await sluice.installation.state();
      const limiters = await readLimiters(await sluice.installation.state());
      const old = await changesOf(running);
      expect(limiters).toHaveLength(1);
      const createdAt = await beginFrom(controlPlane, undefined);
      const sound = due.slice(10);
      await fill(controlPlane, { onSoundDevices: sound });
      const everyone = await running.alive([...due, ...running.kept]);
      await waitFor(async () => {
        const now = await sluice.installation.state();
        return now.cluster === cluster ? undefined : true;
      }, minutes);
      const dropped = running.metric('OtherIncarnation');
      await running.sendAgain(cluster, old, limiters);
      await waitFor(async () => (running.metric('OtherIncarnation') > dropped ? true : undefined), minutes);
      await waitFor(async () => (running.metric('ClustersUnderOneName') > 0 ? true : undefined), minutes);
      await running.untilMirrored();
      expect(running.deleted(createdAt)).toEqual([]);
      expect(await running.alive(Object.keys(everyone))).toEqual(everyone);
      const keptBefore = await running.alive([...sound, ...running.kept]);
      await createAll(controlPlane.client, [ruleOf('node-1')]);
      await endsWith(running, { keptBefore, due: due.slice(0, 10), after: createdAt });
    }),
  );
});

/** Every due pod was deleted once after `after`, all others are the same as before, and the mirror equals the cluster. */
async function endsWith(
  eviction: Eviction,
  of: {
    readonly keptBefore: Readonly<Record<string, string>>;
    readonly due?: readonly string[];
    readonly after?: number;
  },
): Promise<void> {
  const kept = Object.keys(of.keptBefore);
  const leaving = (of.due ?? due).filter((name) => !kept.includes(name));
  await waitFor(async () => (Object.keys(await eviction.alive(leaving)).length === 0 ? true : undefined), 2 * minutes);
  await eviction.untilMirrored();
  expect(eviction.deleted(of.after).toSorted()).toEqual(leaving);
  expect(await eviction.alive(kept)).toEqual(of.keptBefore);
}

/** Recreates a pending pod under its name while Sluice cannot see it, so that it tolerates the taint. */
async function makeTolerant(eviction: Eviction): Promise<Readonly<Record<string, string>>> {
  const { client, kubectl } = eviction.controlPlane;
  for (let i = 0; i < 10; i++) {
    const name = Object.keys(await eviction.alive(due)).at(-1) ?? '';
    await kubectl(['delete', 'pod', name, '--force', '--grace-period=0']);
    // Sluice was faster.
    if (eviction.deleted().includes(name)) continue;
    await remove(client, userOf(name));
    await remove(client, { kind: 'ResourceClaim', metadata: { name, namespace: 'default' } });
    await createUser(eviction.controlPlane, { name, tolerations });
    return eviction.alive([name]);
  }
  throw new Error('Sluice deleted each of ten pods before it could be made again');
}

/** More versions than the copy has; an API server writes some dozens of its own when it starts. */
async function writeMuch({ controlPlane }: Eviction, times: number): Promise<void> {
  const namespace = { kind: 'Namespace', metadata: { name: 'default' } };
  for (let i = 0; i < times; i++)
    await mergePatch(controlPlane.client, namespace, { metadata: { annotations: { 'example.com/i': String(i) } } });
}

/** All changes that a watcher would send for the current cluster. */
async function changesOf({ controlPlane }: Eviction): Promise<readonly Change[]> {
  return (await readObjects(controlPlane)).map((object) => ({ type: 'Upserted', object }));
}
