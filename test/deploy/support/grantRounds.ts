// With IAM enforced, each grant of some functions is taken away by itself, denied to its function, and given back.
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FunctionName } from '../../../infra/grants.ts';
import { dueAttributes } from '../../../lib/state/dueIndex.ts';
import { ruleRowKey } from '../../../lib/state/keys.ts';
import { openRecord } from '../../../lib/state/recordRows.ts';
import { askForReport } from '../../../lib/state/reportRows.ts';
import { registerLimiters } from '../../../lib/state/spreadList.ts';
import type { State } from '../../../lib/state/state.ts';
import { type Deployment, deploy, stateOf, until } from './deployment.ts';
import { clusterName, drivers } from './fleet.ts';
import { type Account, type Case, casesOf } from './grantCases.ts';
import { policiesOf, take } from './policies.ts';

const rates = {
  node: { perSecond: 1, burst: 2 },
  pod: { perSecond: 1, burst: 2 },
  plan: { perSecond: 1, burst: 2 },
  unpaced: { perSecond: 10_000, burst: 10_000 },
  slow: { perSecond: 0.25, burst: 1 },
} as const;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

interface Attempt {
  /** Attempts before it. */
  readonly count: number;
  /** Whether the function was refused what its grant allows, since the grant was taken. */
  readonly isDenied: () => Promise<boolean>;
}

export function describeGrants(account: Account): void {
  let deployment: Deployment;
  let state: State;
  let rounds = 0;

  beforeAll(async () => {
    deployment = await deploy({ enforceIam: true, size: { nodes: 12, pods: 144 } });
    state = await stateOf(deployment);
  });
  afterAll(async () => {
    await deployment?.stop();
  });

  const gone = () => new Set(deployment.fleet.deletes().map((call) => call.uid));
  const functionName = (name: FunctionName) => deployment.outputs[`${capital(name)}FunctionName`] ?? '';

  /**
   * A slow rule over one node's pods, which are more than ingest evaluates by itself, or over one pod; a dry run, a rule without a rate
   * limit, or one that still evicts after its first report.
   */
  async function exercise(pods: 'node' | 'pod' | 'plan' | 'unpaced' | 'slow' = 'node'): Promise<string> {
    const name = `round-${rounds}`;
    const [first] = podsOfNode(rounds++);
    const { driver = '', pool = '', device = '' } = first ?? {};
    await deployment.fleet.taint({
      name,
      selector: pods === 'pod' ? { driver, pool, device } : { driver, pool },
      effect: pods === 'plan' ? 'None' : 'NoExecute',
      ...rates[pods],
    });
    return name;
  }

  function podsOfNode(index: number) {
    const nodes = [...new Set(deployment.fleet.pods.map((pod) => pod.pool))];
    return deployment.fleet.pods.filter((pod) => pod.pool === nodes[index % nodes.length]);
  }

  /** What only the sweep does: a rule whose fan-out is unfinished, a report whose message is lost, a limiter that is idle, an open intent. */
  async function leaveUndone(): Promise<string> {
    const now = Date.now();
    await askForReport(state, 'lost', { at: now - 60_000, now: now - 120_000 });
    await registerLimiters(state, [`rule|idle-${rounds}`], now - 2 * 3_600_000);
    const interrupted = { namespace: 'default', name: 'interrupted', uid: `uid-interrupted-${rounds}` };
    const ledger = { podUid: interrupted.uid, state: 'Deleting', because: [], listings: [] } as never;
    const opening = { ledger, grounds: {} as never, now: now - 60_000, days: 1 };
    await state.table.transact([...openRecord(state, interrupted, opening)]);
    const name = await exercise('pod');
    const key = ruleRowKey(state.cluster, name);
    await until('the rule is stored', async () => (await state.table.get(key)) !== undefined);
    const dirty = [{ driver: drivers[1], pool: podsOfNode(1)[0]?.pool }];
    const due = dueAttributes(state, key, now - 1000);
    await state.table.write({ kind: 'Update', key, change: { set: { dirty, ...due }, add: { ver: 1 } } });
    await sweepNow();
    return name;
  }

  async function sweepNow(): Promise<void> {
    const Payload = JSON.stringify({ cluster: clusterName });
    await deployment.cloud.lambda.send(
      new InvokeCommand({ FunctionName: functionName('sweep'), InvocationType: 'Event', Payload }),
    );
  }

  /** As a dashboard does. */
  async function look(): Promise<string> {
    await deployment.cloud.lambda.send(new InvokeCommand({ FunctionName: functionName('widget'), Payload: '{}' }));
    return exercise('pod');
  }

  it('a deployed installation evicts pods while it has every grant', async () => {
    const rule = await exercise();
    await until('pods are deleted', () => gone().size > 1, { seen: () => deployment.watcherLog.slice(-3) });
    await deployment.fleet.untaint(rule);
  });

  const attemptReport = (grant: string) => exercise(/BatchGetItem|DeleteItem/.test(grant) ? 'plan' : 'pod');

  /** What makes a function use its grant; a race may be lost to another function, so there are several attempts. */
  function attempt({ name, grant }: Case, { count }: Attempt): Promise<string> {
    if (name === 'sweep') return leaveUndone();
    if (name === 'widget') return look();
    if (name === 'evaluate' && grant.endsWith('to evict')) return exercise('unpaced');
    if (isAfterReport(name, grant)) return exercise('slow');
    return name === 'report' ? attemptReport(grant) : exercise(count % 2 === 0 ? 'node' : 'pod');
  }

  /** Evict requests a report only while none is scheduled: after those of the changed rule, the last one some twenty seconds later. */
  const isAfterReport = (name: FunctionName, grant: string) => name === 'evict' && grant.endsWith('to report');

  /** One rule, for some seconds; it is taken back when its first pods are gone. */
  async function tryOnce(one: Case, of: Attempt): Promise<boolean> {
    const before = gone().size;
    const isLong = isAfterReport(one.name, one.grant);
    const rule = await attempt(one, of);
    const end = Date.now() + (isLong ? 45_000 : 8000);
    const isDone = () => one.name !== 'report' && !isLong && gone().size > before + 1;
    let denied = false;
    while (!denied && Date.now() < end && !isDone()) denied = await of.isDenied();
    await deployment.fleet.untaint(rule);
    while (!denied && Date.now() < end) denied = await of.isDenied();
    return denied;
  }

  /** Attempts until a line of the function's log says `denied`. */
  async function untilDenied(one: Case): Promise<void> {
    const since = Date.now();
    const lines = () => deployment.cloud.logsOf(functionName(one.name), since);
    const isDenied = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return (await lines()).some((line) => one.denied.test(line));
    };
    for (let count = 0; count < 5; count++) if (await tryOnce(one, { count, isDenied })) return;
    throw new Error(`never denied; the last lines are ${(await lines()).slice(-5).join('\n')}`);
  }

  it.each(casesOf(account))('the function $name needs its grant $grant', async (one) => {
    const { cloud, fleet } = deployment;
    const policies = await policiesOf(cloud.iam, `Sluice-Sluice${capital(one.name)}Role`);
    const giveBack = await take(cloud.iam, policies, one.isTaken);
    const repair = one.broken === undefined ? () => {} : fleet.breakDown(one.broken);
    try {
      await untilDenied(one);
    } finally {
      repair();
      await giveBack();
    }
  });

  it('every pod is evicted once after all grants are given back, and no dead-letter queue has a message', async () => {
    const { fleet, cloud, outputs } = deployment;
    await fleet.taint({ name: 'all', selector: { driver: drivers[3] }, perSecond: 5, burst: 5 });
    const all = fleet.pods.filter((pod) => pod.driver === drivers[3]);
    const left = () => all.filter((pod) => !gone().has(pod.uid));
    await until('all are deleted', () => left().length === 0, { seconds: 200, seen: () => left().length });
    expect(fleet.deletes().filter((call) => call.status < 300)).toHaveLength(gone().size);
    for (const [name, url] of Object.entries(outputs).filter(([output]) => output.includes('DeadLettersUrl')))
      expect([name, await cloud.depth(url)]).toEqual([name, 0]);
  });
}
