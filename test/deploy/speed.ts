// The speed of a deployed installation: from a change in the cluster to the DELETE, and a thousand pods at a high rate.
import { loadavg } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CpuTimes, cpuTimes, formatCpu } from './support/cpuTimes.ts';
import { type Deployment, deploy, until } from './support/deployment.ts';
import { drivers } from './support/fleet.ts';

/** Run by `npm run bench:deploy`; figures are printed and fail no test, because they depend on the machine. */
const goals = { firstDeleteMs: 400, podsPerSecond: 50 } as const;
/** Rate and burst of the large rule; the default disables rate limiting. */
const perSecond = Number(process.env.SLUICE_SPEED_RATE || '10000');
const [single, many] = drivers;
const devicesPerNode = 8;
const singleNodes = 5;
const manyNodes = Math.ceil(Number(process.env.SLUICE_SPEED_PODS || '1000') / devicesPerNode);
const intakeSeconds = 600;
const load = () => `load ${loadavg()[0]?.toFixed(1)}`;

describe('a deployed installation', () => {
  let deployment: Deployment;
  let cpu: CpuTimes = {};
  const sayCpu = (what: string, per: number) => {
    const now = cpuTimes();
    console.log(`${what}: ${formatCpu(cpu, now, per)} ms of processor time each; ${load()}`);
    cpu = now;
  };
  const podsOf = (driver: string) => deployment.fleet.pods.filter((pod) => pod.driver === driver);
  const deletesOf = (driver: string) => {
    const uids = new Set(podsOf(driver).map((pod) => pod.uid));
    return deployment.fleet.deletes().filter((call) => uids.has(call.uid));
  };

  /** Pods that went back to their limiters, by reason. */
  const givenUp = async () => {
    const lines = await deployment.cloud.logsOf(deployment.outputs.EvictFunctionName ?? '');
    const counts: Record<string, number> = {};
    for (const line of lines) {
      const [, why] = /"message":"pod put back".*"why":"([^"]*)"/.exec(line) ?? [];
      if (why !== undefined) counts[why] = (counts[why] ?? 0) + 1;
    }
    return counts;
  };

  beforeAll(
    async () => {
      const nodes = singleNodes + manyNodes;
      const ofNodes = Array.from({ length: nodes }, (_, i) => (i % (nodes / singleNodes) === 0 ? single : many));
      const began = Date.now();
      deployment = await deploy({
        enforceIam: false,
        size: { nodes, pods: nodes * devicesPerNode, drivers: ofNodes },
      });
      // A change is ingested after those before it, and the first list of the fleet has thousands.
      const waiting = () => deployment.cloud.depth(deployment.outputs.IngestQueueUrlLocal ?? '');
      const isListed = () => deployment.watcherLog.some((line) => line.includes('all kinds are listed'));
      await until('the fleet is taken in', async () => isListed() && (await waiting()) === 0, {
        seconds: intakeSeconds,
        seen: waiting,
      });
      console.log(`deployed, and the fleet taken in, after ${((Date.now() - began) / 1000).toFixed(0)} s`);
      sayCpu('change of the first list', nodes * (1 + 2 * devicesPerNode));
    },
    (intakeSeconds + 120) * 1000,
  );
  afterAll(async () => {
    await deployment?.stop();
  });

  it('a deployed installation deletes the pod of one device after another', async () => {
    const { fleet } = deployment;
    const took: number[] = [];
    for (const [i, { pool, device, uid }] of podsOf(single).entries()) {
      const sent = await fleet.taint({ name: `one-${i}`, selector: { driver: single, pool, device } });
      const found = () => deletesOf(single).find((call) => call.uid === uid);
      await until(`pod ${i} is deleted`, () => found() !== undefined, { seen: () => deployment.watcherLog.slice(-3) });
      took.push((found()?.at ?? Number.NaN) - sent);
    }
    // The first ones start functions.
    const warm = took.slice(5).sort((a, b) => a - b);
    const at = (share: number) => warm[Math.floor(share * (warm.length - 1))];
    console.log(
      `first delete, warm, ${warm.length} times: p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, most ${at(1)} ms; goal ${goals.firstDeleteMs}`,
    );
    sayCpu('pod by itself', took.length);
    expect(new Set(deletesOf(single).map((call) => call.uid)).size).toBe(took.length);
  });

  it('a deployed installation deletes a thousand pods of a rule without a rate limit', async () => {
    const { fleet } = deployment;
    const all = podsOf(many).length;
    const sent = await fleet.taint({ name: 'many', selector: { driver: many }, perSecond, burst: perSecond });
    await until('all are deleted', () => deletesOf(many).length >= all, {
      seconds: 200,
      seen: async () => [deletesOf(many).length, await givenUp(), deployment.watcherLog.slice(-3)],
    });
    console.log(`pods put back: ${JSON.stringify(await givenUp())}`);
    const times = deletesOf(many).map((call) => call.at - sent);
    const last = Math.max(...times);
    console.log(
      `${all} pods at ${perSecond} a second: first after ${Math.min(...times)} ms, last after ${last} ms: ${((all / last) * 1000).toFixed(1)} a second; goal ${goals.podsPerSecond}`,
    );
    sayCpu('pod of many', all);
    expect(new Set(deletesOf(many).map((call) => call.uid)).size).toBe(all);
  });
});
