// The executor as a pod of an outbound cluster runs it: with exactly the chart's role on a real control plane, it evicts and may do nothing else.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbTable } from '../../lib/adapters/dynamodb/dynamoDbTable.ts';
import { createSqsQueues } from '../../lib/adapters/sqs/queues.ts';
import { type LocalSqs, startLocalSqs } from '../../lib/local/aws/queues.ts';
import { deviceTaintRule, pod, resourceClaim } from '../../lib/local/cluster/builders.ts';
import { at, type JsonMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { createMemory } from '../../lib/memory.ts';
import { clusterIdOf } from '../../lib/model/identity.ts';
import { upstreamSettings } from '../../lib/model/snapshot.ts';
import { ingest } from '../../lib/stages/ingest/ingest.ts';
import type { StepDependencies } from '../../lib/steps/step.ts';
import { type EmulatedTable, startTable } from '../support/emulators.ts';
import { aClaim, aHeartbeat, aPod, aRule, upserted } from '../support/objects.ts';
import { renderOutbound } from './support/chart.ts';
import { type ControlPlane, startControlPlane } from './support/controlPlane.ts';
import { type ExecutorProcess, startExecutorProcess } from './support/executorProcess.ts';
import { createAll, find, mergePatch } from './support/objects.ts';
import { waitFor } from './support/waitFor.ts';

const cluster = 'inside';
const driver = 'gpu.example.com';
const executorAs = '--as=system:serviceaccount:sluice:sluice-executor';
const clock = { now: Date.now, sleep: (milliseconds: number) => new Promise<void>((r) => setTimeout(r, milliseconds)) };

describe('an executor under the role of the chart', () => {
  let controlPlane: ControlPlane;
  let sqs: LocalSqs;
  let emulated: EmulatedTable;
  let deps: StepDependencies;
  let executor: ExecutorProcess;
  const urls = { evaluate: '', evict: '', report: '' };
  const must = async (args: readonly string[], stdin?: string) => {
    const { status, stdout, stderr } = await controlPlane.kubectl(args, stdin);
    expect(status, stderr).toBe(0);
    return stdout.trim();
  };
  const start = async () => {
    const token = await must(['create', 'token', 'sluice-executor', '-n', 'sluice']);
    const { tableName, endpoint } = emulated;
    return startExecutorProcess({ controlPlane, token, cluster, urls, tableName, endpoint, sqsEndpoint: sqs.endpoint });
  };
  const applyChart = async () => {
    const text = Object.values(renderOutbound()).join('---\n');
    await must(['apply', '--server-side', '--force-conflicts', '--validate=strict', '-f', '-'], text);
  };

  beforeAll(async () => {
    controlPlane = await startControlPlane({ components: [] });
    sqs = await startLocalSqs();
    emulated = await startTable('Sluice-State');
    const names = ['evaluate', 'evict', 'report', `evict-${cluster}`, `report-${cluster}`];
    const queues = await sqs.createQueues(
      names.map((name) => ({ logicalId: name, name, visibilityTimeout: 30, attributes: {} })),
    );
    for (const name of ['evaluate', 'evict', 'report'] as const) urls[name] = queues.get(name)?.url ?? '';
    deps = {
      clock,
      table: createDynamoDbTable(emulated.documents, emulated.tableName),
      queues: createSqsQueues(sqs.client, { ...urls, outbound: new Set([cluster]) }, clock),
      metrics: { add: () => {} },
      log: { info: () => {}, warn: () => {}, error: () => {} },
      modesOf: () => ({ native: 'own', paced: 'own' }),
      limitOf: () => undefined,
      settings: upstreamSettings,
      recordDays: 90,
      memory: createMemory(),
    };
    await must(['create', 'namespace', 'sluice']);
    await must(['create', 'serviceaccount', 'default']);
    await applyChart();
    executor = await start();
    await executor.untilReady();
  });
  afterAll(async () => {
    await executor?.stop();
    await emulated?.stop();
    await sqs?.stop();
    await controlPlane?.stop();
  });

  /** A pod whose device a rule taints, both ingested as from the watcher. */
  async function taintUnder(name: string): Promise<{ readonly victim: JsonMap; readonly rule: JsonMap }> {
    const claim = resourceClaim({ name: `claim-${name}`, namespace: 'default', deviceClass: 'gpu' });
    const manifest = pod({ name, namespace: 'default', claim: `claim-${name}`, node: 'node-1' });
    const taint = { key: 'example.com/bad', effect: 'NoExecute' };
    const selector = { driver, device: name };
    const [, victim = {}, rule = {}] = await createAll(controlPlane.client, [
      claim,
      manifest,
      deviceTaintRule({ name, deviceSelector: selector, taint }),
    ]);
    const uid = textAt(victim, 'metadata', 'uid') ?? '';
    const reservedFor = [{ resource: 'pods', name, uid }];
    const results = [{ request: 'device', driver, pool: 'node-1', device: name }];
    await mergePatch(
      controlPlane.client,
      claim,
      { status: { reservedFor, allocation: { devices: { results } } } },
      'status',
    );
    const timeAdded = Date.parse(textAt(rule, 'spec', 'taint', 'timeAdded') ?? '');
    const known = aRule(name, timeAdded, {
      uid: textAt(rule, 'metadata', 'uid') ?? '',
      deviceSelector: selector,
      taint: { key: 'example.com/bad', effect: 'NoExecute', timeAdded },
    });
    const systemNamespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } };
    const incarnation = textAt(await find(controlPlane.client, systemNamespace), 'metadata', 'uid');
    const told = [
      aClaim(name, name, { reservedFor }),
      aPod(name, { uid, creationTimestamp: Date.now() - 60_000 }),
      known,
    ];
    await ingest(deps, clusterIdOf(cluster, incarnation), [
      aHeartbeat(Date.now()),
      ...told.map((one) => upserted(one)),
    ]);
    return { victim, rule };
  }
  const isGone = async (of: JsonMap) => {
    const found = await find(controlPlane.client, of);
    return found === undefined || textAt(found, 'metadata', 'deletionTimestamp') !== undefined;
  };

  it('the executor deletes the pod of a tainted device, and writes the condition of the rule', async () => {
    const { victim, rule } = await taintUnder('first');
    await waitFor(async () => ((await isGone(victim)) ? true : undefined)).catch(executor.failed);
    const condition = async () => {
      const found = await find(controlPlane.client, rule);
      return listAt(found ?? {}, 'status', 'conditions').find((one) => at(one, 'type') === 'EvictionInProgress');
    };
    await waitFor(condition, 30_000).catch(executor.failed);
  });

  it('the chart of the executor has two probes, a budget, a network policy and a service account', async () => {
    const kinds = 'deployment,pdb,networkpolicy,serviceaccount';
    const found = await must(['get', kinds, '-n', 'sluice', '-o', 'name']);
    expect(found.split('\n').sort()).toEqual([
      'deployment.apps/sluice-executor',
      'networkpolicy.networking.k8s.io/sluice-executor',
      'poddisruptionbudget.policy/sluice-executor',
      'serviceaccount/sluice-executor',
    ]);
    expect(await executor.get('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    const shown = ['get', 'deployment', 'sluice-executor', '-n', 'sluice', '-o'];
    const paths = await must([...shown, 'jsonpath={.spec.template.spec.containers[0]..httpGet.path}']);
    expect(paths.split(' ').sort()).toEqual(['/healthz', '/readyz']);
  });

  it.each<[string, string[], string?]>([
    ['read secrets', ['get', '--raw', '/api/v1/namespaces/sluice/secrets']],
    ['read a single pod but by a list', ['get', '--raw', '/api/v1/namespaces/default/pods/kept']],
    ['watch pods', ['get', '--raw', '/api/v1/pods?watch=1&timeoutSeconds=1']],
    ['delete all pods at once', ['delete', '--raw', '/api/v1/namespaces/default/pods']],
    ['delete a claim', ['delete', '--raw', '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/x']],
    ['delete a rule', ['delete', '--raw', '/apis/resource.k8s.io/v1beta2/devicetaintrules/first']],
    ['delete a namespace', ['delete', '--raw', '/api/v1/namespaces/default']],
    ['create a pod', ['create', '--raw', '/api/v1/namespaces/default/pods', '-f', '-'], '{}'],
    ['give itself rights', ['create', '--raw', '/apis/rbac.authorization.k8s.io/v1/clusterroles', '-f', '-'], '{}'],
  ])('the role of the chart does not let an executor %s', async (what, args, stdin) => {
    const asked = [...args, executorAs];
    const { status, stdout, stderr } = await controlPlane.kubectl(asked, stdin);
    expect(status, what).not.toBe(0);
    expect(stdout + stderr).toMatch(/forbidden/i);
  });

  it('the role of the chart lets an executor delete one pod, as every eviction does', async () => {
    await createAll(controlPlane.client, [pod({ name: 'kept', namespace: 'default' })]);
    await must(['delete', '--raw', '/api/v1/namespaces/default/pods/kept', executorAs]);
  });

  it('an executor without the verb delete keeps the pod, and says which right it lacks', async () => {
    const role = JSON.parse(await must(['get', 'clusterrole', 'sluice-executor-evict', '-o', 'json'])) as {
      rules: { resources: string[]; verbs: string[] }[];
    };
    const rules = role.rules.map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'delete') }));
    await must(['patch', 'clusterrole', 'sluice-executor-evict', '--type=merge', '-p', JSON.stringify({ rules })]);
    const { victim } = await taintUnder('second');
    await executor.untilItSays(/403.*cannot delete resource \\?"pods/);
    expect(await isGone(victim)).toBe(false);
    await applyChart();
  });

  it('the executor ends on SIGTERM with status 0', async () => {
    expect(await executor.stop()).toBe(0);
  });
});
