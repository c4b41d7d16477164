// The watcher as deployed: a process of its own, an emulated queue and a simulated cluster, from start to SIGTERM.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFauxqs } from 'fauxqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiClient } from '../../lib/adapters/kubernetes/apiClient.ts';
import { createPodEvictor } from '../../lib/adapters/kubernetes/podEvictor.ts';
import { parseChange } from '../../lib/adapters/sqs/changes.ts';
import { deviceTaintRule, pod, resourceSlice } from '../../lib/local/cluster/builders.ts';
import { type Cluster, startCluster } from '../../lib/local/cluster/cluster.ts';
import { type SingleChange, singleChanges } from '../../lib/model/change.ts';
import { tokenOf } from '../support/clusterUnderTest.ts';

const program = fileURLToPath(new URL('../../bin/watcher.ts', import.meta.url));
const taint = { key: 'example.com/bad', effect: 'NoExecute' };

let cluster: Cluster;
let sqs: Awaited<ReturnType<typeof startFauxqs>>;
let folder: string;
let child: ChildProcess;
let output: string;
let exited: Promise<number | null>;

beforeEach(async () => {
  cluster = await startCluster();
  sqs = await startFauxqs({ port: 0, logger: false, host: '127.0.0.1' });
  folder = mkdtempSync(path.join(tmpdir(), 'sluice-watcher-'));
});

afterEach(async () => {
  child.kill('SIGKILL');
  await exited;
  await Promise.all([cluster.close(), sqs.stop()]);
  rmSync(folder, { recursive: true });
});

function start(env: Readonly<Record<string, string>> = {}): void {
  output = '';
  child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: {
      PATH: process.env.PATH,
      KUBECONFIG: path.join(folder, 'kubeconfig'),
      SLUICE_INGEST_QUEUE_URL: sqs.createQueue('Sluice-ingest-prod').queueUrl,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${sqs.port}`,
      ...env,
    },
  });
  const keep = (text: Buffer) => {
    output += text;
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  exited = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}

function received(): readonly SingleChange[] {
  return (sqs.inspectQueue('Sluice-ingest-prod')?.messages.ready ?? []).flatMap(({ body }) => {
    const parsed = parseChange(body);
    if (parsed.kind === 'Poison') throw new Error(parsed.why);
    return singleChanges(parsed.value);
  });
}

const writeKubeconfig = () => writeFileSync(path.join(folder, 'kubeconfig'), cluster.kubeconfigYaml);
const eventually = (what: () => void) => expect.poll(() => attempt(what), { timeout: 60_000, interval: 25 }).toBe('so');
function attempt(what: () => void): string {
  try {
    what();
    return 'so';
  } catch (error) {
    return String(error);
  }
}

describe('the deployed watcher', () => {
  it('the watcher process sends existing objects, a heartbeat of all kinds and later changes, and ends on SIGTERM', async () => {
    writeKubeconfig();
    cluster.seed(resourceSlice({ name: 's', driver: 'gpu.example.com', node: 'n', devices: [{ name: 'g' }] }));
    cluster.seed(pod({ name: 'with-claim', namespace: 'default', node: 'n', claim: 'c' }));
    cluster.seed(pod({ name: 'without', namespace: 'default', node: 'n' }));
    start();
    await eventually(() => {
      expect(received().find((change) => change.type === 'Heartbeat')).toMatchObject({
        watched: {
          Pod: 'v1',
          ResourceClaim: 'v1',
          ResourceSlice: 'v1',
          DeviceTaintRule: 'v1',
          DeviceClass: 'v1',
          Namespace: 'v1',
          PacedTaintRule: 'v1alpha1',
          DeviceTaintSlice: 'v1alpha1',
          EvictionPolicy: 'v1alpha1',
        },
      });
    });
    const names = received().flatMap((change) => (change.type === 'Upserted' ? [change.object.name] : []));
    expect(names.sort()).toEqual(['s', 'with-claim']);
    cluster.seed(deviceTaintRule({ name: 'rule', taint }));
    await eventually(() => {
      const rule = received().find((change) => change.type === 'Upserted' && change.object.name === 'rule');
      expect(rule).toMatchObject({ object: { kind: 'DeviceTaintRule', taint } });
    });
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });

  it('the watcher process logs a missing kubeconfig, is not ready, and continues as soon as the file exists', async () => {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    start({ SLUICE_HEALTH_PORT: String(port) });
    const ask = async (what: string) => {
      const response = await fetch(`http://127.0.0.1:${port}${what}`);
      return { status: response.status, text: await response.text() };
    };
    await eventually(() => expect(output).toMatch(/kubeconfig .*there is no such file.*set KUBECONFIG/));
    expect(await ask('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(await ask('/readyz')).toMatchObject({ status: 503, text: expect.stringContaining('there is no such file') });
    writeKubeconfig();
    await expect.poll(() => ask('/readyz'), { timeout: 60_000 }).toEqual({ status: 200, text: 'ok\n' });
    expect((await ask('/metrics')).text).toContain('sluice_watcher_established{kind="Pod"} 1');
  });

  it('the watcher process counts only the pods that Sluice deletes, in the metrics of the in-tree controller', async () => {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    writeKubeconfig();
    for (const name of ['evicted', 'deleted', 'stays'])
      cluster.seed(pod({ name, namespace: 'default', node: 'n', claim: name }));
    start({ SLUICE_HEALTH_PORT: String(port) });
    const ask = async (what: string) => (await fetch(`http://127.0.0.1:${port}${what}`)).text();
    await expect.poll(() => ask('/readyz').catch(String), { timeout: 60_000 }).toBe('ok\n');
    const client = createApiClient({ endpoint: cluster.url, certificateAuthority: cluster.ca }, tokenOf(cluster.token));
    const evictor = createPodEvictor(client, Date.now);
    const refOf = (name: string) => {
      const uid = cluster.store.get(cluster.resource('pods'), `default/${name}`)?.metadata.uid ?? '';
      return { namespace: 'default', name, uid };
    };
    expect(await evictor.mark(refOf('evicted'), Date.now() - 20_000)).toMatchObject({ kind: 'Marked' });
    expect(await evictor.delete(refOf('evicted'))).toMatchObject({ kind: 'Evicted' });
    expect(await evictor.delete(refOf('deleted'))).toMatchObject({ kind: 'Evicted' });
    client.close();
    await eventually(() => {
      const gone = received().flatMap((one) =>
        one.type === 'Upserted' && one.object.kind === 'Pod' && one.object.deletionTimestamp ? [one.object.name] : [],
      );
      expect(gone).toContain('deleted');
    });
    const text = await ask('/metrics');
    const prefix = 'device_taint_eviction_controller_pod_deletion';
    expect(text).toContain(`\n${prefix}s_total 1\n`);
    expect(text).toContain(`\n${prefix}_duration_seconds_bucket{le="10"} 0\n`);
    expect(text).toContain(`\n${prefix}_duration_seconds_bucket{le="30"} 1\n`);
    expect(text).toContain(`\n${prefix}_duration_seconds_count 1\n`);
  });

  it('the watcher process refuses to start without a queue, and reports every invalid variable', async () => {
    start({ SLUICE_INGEST_QUEUE_URL: '', SLUICE_HEALTH_PORT: 'many' });
    expect(await exited).toBe(1);
    expect(output).toContain('SLUICE_INGEST_QUEUE_URL is not set');
    expect(output).toContain('SLUICE_HEALTH_PORT is not a port: many');
  });
});
