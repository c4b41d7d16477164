// Scenario on the simulated fleet: single-pod rules one after the other, then a paced rule and one that is stopped halfway.
import { readHeartbeat } from '../../state/liveness.ts';
import type { State } from '../../state/state.ts';
import { deviceTaintRule } from '../cluster/builders.ts';
import type { ApiCall } from '../cluster/calls.ts';
import { createApiClient } from '../cluster/client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Fleet, FleetOptions, FleetPod } from '../cluster/fleet.ts';
import type { Figures, ReceivedDelete, RuleOfRun } from './figures.ts';
import { figuresOf } from './figures.ts';

export interface ScenarioOptions {
  readonly cluster: Cluster;
  readonly fleet: Fleet;
  readonly state: () => Promise<State>;
  readonly onProgress: (text: string) => void;
}

const drivers = { main: 'gpu.example.com', large: 'tpu.example.com', single: 'nic.example.com' } as const;

/** 60 nodes with 8 devices each; half of the nodes have the driver whose rule is stopped halfway. */
export const scenarioFleet: FleetOptions = {
  nodes: 60,
  devicesPerNode: 8,
  pods: 400,
  drivers: [drivers.main, drivers.large, drivers.single, drivers.large],
};

const singleRules = 56;
const taint = { key: 'example.com/unhealthy', value: 'yes', effect: 'NoExecute' } as const;
const rulesPath = '/apis/resource.k8s.io/v1/devicetaintrules';

/** Timeout of each wait in milliseconds; far longer than needed. */
const patience = 180_000;

export async function runScenario(options: ScenarioOptions): Promise<Figures> {
  const { cluster, fleet } = options;
  const deletes: ReceivedDelete[] = [];
  const unobserve = cluster.observe((call) => {
    if (isEviction(call))
      deletes.push({
        uid: call.uid ?? call.uidPrecondition ?? '',
        at: call.receivedEpoch,
        accepted: call.status < 300,
      });
  });
  const rules = createRules(options);
  try {
    await until(
      'the watcher has listed the cluster',
      async () => (await readHeartbeat(await options.state())) !== undefined,
    );
    options.onProgress(`${singleRules} rules of one pod each, one after the other`);
    const singles = await runSingles(options, { rules, deletes });
    options.onProgress('one rule over a whole driver, and a larger one that is stopped half way');
    const { main, stopped } = await runPaced(options, { rules, deletes });
    return figuresOf({
      nodes: fleet.nodes.length,
      devices: fleet.devices,
      pods: fleet.pods.length,
      deletes,
      main,
      stopped,
      singles,
      rate: { perSecond: 10, burst: 10 },
    });
  } finally {
    unobserve();
    rules.close();
  }
}

/** Deletes of pods by any client except the fake kubelet, which also ends terminating pods by DELETE. */
function isEviction(call: ApiCall): boolean {
  return call.verb === 'delete' && call.resource === 'pods' && !call.subresource && call.userAgent !== 'fake-kubelet';
}

interface Rules {
  /** Returns when the API server accepted the rule. */
  create(name: string, selector: Readonly<Record<string, string>>): Promise<number>;
  delete(name: string): Promise<number>;
  close(): void;
}

function createRules({ cluster }: ScenarioOptions): Rules {
  const client = createApiClient({ url: cluster.url, ca: cluster.ca, token: cluster.token, userAgent: 'scenario' });
  const acceptedAt = (method: string, name: string) => {
    const found = cluster.calls.findLast(
      (call) => call.method.toUpperCase() === method && call.resource === 'devicetaintrules' && call.name === name,
    );
    return found?.receivedEpoch ?? Date.now();
  };
  return {
    async create(name, deviceSelector) {
      const sent = Date.now();
      const answer = await client.call('POST', rulesPath, { body: deviceTaintRule({ name, deviceSelector, taint }) });
      if (answer.status !== 201)
        throw new Error(`rule ${name} was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
      return Math.max(sent, acceptedAt('POST', name));
    },
    async delete(name) {
      const answer = await client.call('DELETE', `${rulesPath}/${name}`);
      if (answer.status !== 200) throw new Error(`rule ${name} could not be deleted: ${answer.status}`);
      return acceptedAt('DELETE', name);
    },
    close: () => client.close(),
  };
}

interface Running {
  readonly rules: Rules;
  readonly deletes: readonly ReceivedDelete[];
}

async function runSingles(
  { fleet, onProgress }: ScenarioOptions,
  { rules, deletes }: Running,
): Promise<readonly RuleOfRun[]> {
  const alone = fleet.pods.filter((pod) => pod.driver === drivers.single && !pod.tolerant && isAlone(pod, fleet.pods));
  const singles: RuleOfRun[] = [];
  for (const pod of alone.slice(0, singleRules)) {
    const name = `single-${pod.name}`;
    const acceptedAt = await rules.create(name, { driver: pod.driver, pool: pod.pool, device: pod.device });
    await until(`pod ${pod.name} is deleted`, async () => deletes.some((one) => one.uid === pod.uid), 2);
    singles.push({ name, acceptedAt, pods: new Set([pod.uid]) });
    if (singles.length % 14 === 0) onProgress(`${singles.length} of ${singleRules} single-pod rules done`);
  }
  return singles;
}

function isAlone(pod: FleetPod, pods: readonly FleetPod[]): boolean {
  return pods.every((other) => other.uid === pod.uid || other.claim !== pod.claim || other.namespace !== pod.namespace);
}

async function runPaced(
  options: ScenarioOptions,
  { rules, deletes }: Running,
): Promise<{ main: RuleOfRun; stopped: RuleOfRun }> {
  const { pods } = options.fleet;
  const of = (driver: string) =>
    new Set(pods.filter((pod) => pod.driver === driver && !pod.tolerant).map((pod) => pod.uid));
  const [mainPods, largePods] = [of(drivers.main), of(drivers.large)];
  const gone = (uids: ReadonlySet<string>) => deletes.filter((one) => uids.has(one.uid)).length;
  const main = { name: 'main', acceptedAt: await rules.create('main', { driver: drivers.main }), pods: mainPods };
  const acceptedAt = await rules.create('larger', { driver: drivers.large });
  await until('half of the larger rule is done', async () => gone(largePods) >= largePods.size / 2);
  const stoppedAt = await rules.delete('larger');
  options.onProgress(`stopped the larger rule after ${gone(largePods)} of ${largePods.size} pods`);
  await until('the main rule is done', async () => gone(mainPods) >= mainPods.size).catch(() => {});
  // Long enough to see a wrong delete after a lost stop or a duplicate delivery.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  return { main, stopped: { name: 'larger', acceptedAt, pods: largePods, stoppedAt } };
}

async function until(what: string, holds: () => Promise<boolean>, interval = 20): Promise<void> {
  const end = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${patience / 1000} s in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, interval));
  }
}
