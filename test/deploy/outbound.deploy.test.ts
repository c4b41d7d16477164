// A cluster that no function can reach: decisions and rates in AWS, evictions by the process in the cluster.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Deployment, deploy, until } from './support/deployment.ts';
import { drivers } from './support/fleet.ts';

const program = fileURLToPath(new URL('../../bin/sluice.ts', import.meta.url));

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

  it('an outbound installation evicts every pod of a tainted driver once, and reports it on the rule', async () => {
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

  it('the doctor finds nothing wrong with an outbound installation, except what an account without queue metrics cannot show', async () => {
    const { environment } = deployment;
    const run = promisify(execFile)(process.execPath, [program, 'doctor', '-o', 'json'], {
      env: { PATH: process.env.PATH, ...environment },
    });
    const { stdout } = await run.catch((error: { stdout: string }) => error);
    const { items: findings } = JSON.parse(stdout) as { items: { kind: string; subject: string; text: string }[] };
    const said = (kind: string) => findings.filter((one) => one.kind === kind).map(({ subject }) => subject);
    const problems = findings
      .filter(({ kind }) => kind === 'Problem')
      .map(({ subject, text }) => `${subject}: ${text}`);
    const unseen = /^queue Sluice-(evict|report)-local: no consumer has asked it/;
    expect(problems.filter((one) => !unseen.test(one))).toEqual([]);
    expect(said('Warning')).toContain('executor of local');
    expect(said('Ok')).toEqual(expect.arrayContaining(['stack Sluice', 'watcher of local', 'queue Sluice-evict']));
  });

  it('no function evicts or reports for an outbound cluster, and its executor empties its queue', async () => {
    const { cloud, outputs } = deployment;
    for (const name of ['EvictFunctionName', 'ReportFunctionName'])
      expect(await cloud.logsOf(outputs[name] ?? '')).toEqual([]);
    // The sweep wakes limiters each minute; the executor takes their messages.
    const left = () => cloud.depth(outputs.EvictQueueUrlLocal ?? '');
    await until('the queue of the executor is empty', async () => (await left()) === 0, { seen: left });
  });
});
