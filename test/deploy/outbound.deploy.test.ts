// A cluster that no function can reach: decided and paced in AWS, evicted by the process in the cluster.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Deployment, deploy, until } from './support/deployment.ts';
import { drivers } from './support/fleet.ts';

describe('an outbound installation', () => {
  let deployment: Deployment;
  const [gpu, tpu] = drivers;
  const podsOf = (driver: string) => deployment.fleet.pods.filter((pod) => pod.driver === driver);
  const deletesOf = (driver: string) => {
    const uids = new Set(podsOf(driver).map((pod) => pod.uid));
    return deployment.fleet.deletes().filter((call) => uids.has(call.uid));
  };

  beforeAll(async () => {
    deployment = await deploy({ enforceIam: false, outbound: true, size: { nodes: 4, pods: 40 } });
  });
  afterAll(async () => {
    await deployment?.stop();
  });

  it('evicts every pod of a tainted driver once, at its pace, and says so on the rule', async () => {
    const { fleet } = deployment;
    const all = podsOf(gpu).length;
    await fleet.taint({ name: 'outbound', selector: { driver: gpu }, perSecond: 5, burst: 2 });
    const seen = () => deployment.watcherLog.slice(-8);
    await until('all are deleted', () => deletesOf(gpu).length >= all, { seconds: 100, seen });
    await until('the rule says that it is done', async () => (await fleet.condition('outbound')).startsWith('False'), {
      seen,
    });
    expect(new Set(deletesOf(gpu).map((call) => call.uid)).size).toBe(deletesOf(gpu).length);
    expect(deletesOf(tpu)).toEqual([]);
  });

  it('no function was asked to do it: what evict and report share with other clusters stays empty', async () => {
    const { cloud, outputs } = deployment;
    for (const name of ['EvictFunctionName', 'ReportFunctionName'])
      expect(await cloud.logsOf(outputs[name] ?? '')).toEqual([]);
    expect(await cloud.depth(outputs.EvictQueueUrlLocal ?? '')).toBe(0);
  });
});
