// An EvictionStop on a real control plane: the API server's audit log has no DELETE later than a second after it.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import { isMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import type { Started } from '../../lib/local/start.ts';
import { stopCommand } from '../../lib/model/stop.ts';
import { readAudit } from './support/audit.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { createAll, find } from './support/objects.ts';
import { explainFailures, startSluice } from './support/sluice.ts';
import { createUser, driver, isGoing } from './support/users.ts';
import { waitFor } from './support/waitFor.ts';

const crds = path.join(import.meta.dirname, '..', '..', 'deploy', 'chart', 'crds');
const names = Array.from({ length: 40 }, (_, i) => `p${String(i).padStart(2, '0')}`);
const plain = deviceTaintRule({
  name: 'bad',
  deviceSelector: { driver },
  taint: { key: 'example.com/bad', effect: 'NoExecute' },
});
const annotations = { 'sluice.dev/evictions-per-second': '10', 'sluice.dev/burst': '1' };
const rule = { ...plain, metadata: { name: 'bad', annotations } };
/** What the help of each eviction Event pipes into kubectl. */
const manifest = /echo '(.*)' \| kubectl create -f -/.exec(stopCommand)?.[1] ?? '';

describe('an EvictionStop on a real control plane', () => {
  let controlPlane: ControlPlane;
  let sluice: Started;
  const audited = (verb: string, resource: string) =>
    readAudit(controlPlane).filter((one) => one.verb === verb && one.resource === resource && one.status < 300);
  const deletes = () => audited('delete', 'pods').sort((a, b) => a.receivedAt - b.receivedAt);
  const condition = async (type: string) =>
    listAt(await find(controlPlane.client, rule), 'status', 'conditions')
      .filter(isMap)
      .find((one) => one.type === type);

  beforeAll(async () => {
    controlPlane = await startControlPlane({ components: [], environment: { AUDIT: '1' } });
    expect((await controlPlane.kubectl(['apply', '-f', crds])).stderr).toBe('');
    await controlPlane.kubectl(['wait', '--for=condition=Established', '--timeout=30s', '-f', crds]);
    for (const name of names) await createUser(controlPlane, { name });
    sluice = await startSluice(controlPlane, { modes: async () => ({ native: 'own', paced: 'own' }) });
  });
  explainFailures(() => sluice);
  afterAll(async () => {
    await sluice?.stop();
    await controlPlane?.stop();
  });

  it('an EvictionStop created during an eviction lets no DELETE arrive later than a second after it was accepted', async () => {
    await createAll(controlPlane.client, [rule]);
    await waitFor(async () => (deletes().length >= 5 ? true : undefined), 30_000);
    expect(await controlPlane.kubectl(['create', '-f', '-'], manifest)).toMatchObject({ status: 0 });
    await new Promise((resolve) => setTimeout(resolve, 5000));
    const [stop] = audited('create', 'evictionstops');
    const last = deletes().at(-1);
    expect(deletes().length).toBeLessThan(names.length);
    expect((last?.receivedAt ?? 0) - (stop?.answeredAt ?? 0)).toBeLessThan(1000);
  });

  it('the rule reports the EvictionStop, with the command that deletes it', async () => {
    const said = await waitFor(async () => {
      const found = await condition('sluice.dev/Pacing');
      return found?.reason === 'Stopped' ? found : undefined;
    }, 90_000);
    expect(textAt(said, 'message')).toBe(
      'No pod of this cluster is evicted: stopped by EvictionStop stop; to continue: kubectl delete evictionstop stop.',
    );
  });

  it('evictions continue after the EvictionStop is deleted, and every pod is deleted once', async () => {
    const before = deletes().length;
    expect(await controlPlane.kubectl(['delete', 'evictionstop', 'stop'])).toMatchObject({ status: 0 });
    await waitFor(async () => (deletes().length > before ? true : undefined), 75_000);
    await waitFor(async () => {
      const going = await Promise.all(names.map((name) => isGoing(controlPlane, name)));
      return going.every(Boolean) ? true : undefined;
    }, 90_000);
    const evicted = deletes().map(({ name }) => name);
    expect(new Set(evicted).size).toBe(evicted.length);
  });
});
