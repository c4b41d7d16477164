// The clients of a history's cluster: people, schedulers and kubelets write objects directly into the API server's store.
import { tolerationsAnnotation } from '../../lib/decide/annotatedTolerations.ts';
import type { JsonMap, KubeObject } from '../../lib/local/cluster/object.ts';
import { listAt, mapAt, textAt } from '../../lib/local/cluster/object.ts';
import { timestamp } from '../../lib/local/cluster/timestamps.ts';
import type { Milliseconds } from '../../lib/model/time.ts';
import type { Action, Model, Pace, PacedSelector } from './history.ts';
import { followPods, namespace, type PodLife } from './podLife.ts';

export const driver = 'gpu.example.com';
const deviceClass = 'gpu';

/** Values of the annotation of a claim, by what it tolerates. */
const annotated = {
  Everything: JSON.stringify({ device: [{ operator: 'Exists', effect: 'NoExecute' }] }),
  Nothing: JSON.stringify({ device: [] }),
  Unreadable: '{"device":',
} as const;

export interface Shape {
  readonly pools: number;
  readonly devicesPerPool: number;
}

export const smallest: Shape = { pools: 2, devicesPerPool: 2 };

export interface ClusterModel {
  /** Carries out the actions on objects of the cluster. */
  act(action: Action): void;
  /** Creates namespaces and the slices of every pool; also for a cluster that replaces another. */
  begin(): void;
  /** Continues with the objects of a restored, older copy. */
  resume(): void;
  /** A person sets the annotation after etcd was restored (docs/reference/incarnations.md). */
  giveIncarnation(value: string): void;
  /** Deletes every EvictionStop. */
  endStops(): void;
}

export interface ClusterOptions extends Omit<PodLife, 'comeBack'> {
  readonly shape: Shape;
}

export function createClusterModel(options: ClusterOptions): ClusterModel {
  const { api, now } = options;
  const { pools, devicesPerPool } = options.shape;
  const poolOf = (device: number) => `node-${Math.floor(device / devicesPerPool) % pools}`;
  const nameOf = (device: number) => `gpu-${device % devicesPerPool}`;
  const selectorOf = (selector: PacedSelector): JsonMap => {
    if ('model' in selector) return { driver, selectors: [byModel(selector.model)] };
    if ('class' in selector) return { deviceClassName: deviceClass };
    if ('device' in selector) return { driver, pool: poolOf(selector.device), device: nameOf(selector.device) };
    return 'pool' in selector ? { driver, pool: poolOf(selector.pool * devicesPerPool) } : { driver };
  };
  let uids = 0;
  let stops = 0;
  const resource = (plural: string) => api.resource(plural);
  const get = (plural: string, key: string) => api.store.get(resource(plural), key);
  const write = (plural: string, of: { name: string; namespace?: string; body: JsonMap; annotations?: JsonMap }) => {
    const key = of.namespace === undefined ? of.name : `${of.namespace}/${of.name}`;
    const type = resource(plural);
    const before = get(plural, key);
    const generation = Number(before?.metadata.generation ?? 0) + 1;
    const metadata = {
      ...(before?.metadata ?? { uid: `uid-${plural}-${of.name}-${++uids}`, creationTimestamp: timestamp(now()) }),
      name: of.name,
      ...(of.namespace === undefined ? {} : { namespace: of.namespace }),
      ...(of.annotations ? { annotations: of.annotations } : {}),
      generation,
    };
    const status = before && !('status' in of.body) ? { status: before.status } : {};
    const group = type.group === '' ? 'v1' : `${type.group}/${type.versions[0]}`;
    api.store.put(type, {
      apiVersion: group,
      kind: type.kind,
      ...of.body,
      ...status,
      metadata,
    } as unknown as KubeObject);
  };
  const remove = (plural: string, key: string) => {
    const object = get(plural, key);
    if (object) api.store.remove(resource(plural), object);
  };
  const taints = new Map<string, JsonMap>();
  const models = new Map<string, Model>();
  const forget = () => {
    taints.clear();
    models.clear();
  };
  const slice = (pool: number) => {
    const devices = Array.from({ length: devicesPerPool }, (_, i) => pool * devicesPerPool + i).map((device) => {
      const id = `${poolOf(device)}/${nameOf(device)}`;
      const taint = taints.get(id);
      const attributes = { model: { string: models.get(id) ?? 'new' } };
      return { name: nameOf(device), attributes, ...(taint ? { taints: [taint] } : {}) };
    });
    const name = poolOf(pool * devicesPerPool);
    const spec = { driver, nodeName: name, pool: { name, generation: 1, resourceSliceCount: 1 }, devices };
    write('resourceslices', { name: `slice-${name}`, body: { spec } });
  };
  const agentSlice = (device: number, isTainted: boolean) => {
    const name = `agent-${poolOf(device)}-${nameOf(device)}`;
    if (!isTainted) return remove('devicetaintslices', name);
    const taint = { key: 'example.com/agent', effect: 'NoExecute', timeAdded: timestamp(now()) };
    const spec = { driver, pool: poolOf(device), taints: [{ device: nameOf(device), taint }] };
    write('devicetaintslices', { name, body: { spec } });
  };
  const pod = (index: number, device: number, tolerates?: number) => {
    const name = `pod-${index}`;
    const key = `${namespace}/${name}`;
    if (get('pods', key)) return;
    const uid = `uid-pod-${index}-${++uids}`;
    const tolerations =
      tolerates === undefined ? [] : [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: tolerates }];
    const result = { request: 'device', driver, pool: poolOf(device), device: nameOf(device), tolerations };
    const exactly = { deviceClassName: deviceClass };
    remove('resourceclaims', `${namespace}/claim-${index}`);
    write('resourceclaims', {
      name: `claim-${index}`,
      namespace,
      body: {
        spec: { devices: { requests: [{ name: 'device', exactly }] } },
        status: { allocation: { devices: { results: [result] } }, reservedFor: [{ resource: 'pods', name, uid }] },
      },
    });
    const spec = {
      nodeName: poolOf(device),
      terminationGracePeriodSeconds: 5,
      resourceClaims: [{ name: 'device', resourceClaimName: `claim-${index}` }],
      containers: [{ name: 'main', image: 'example.com/main' }],
    };
    const metadata = { name, namespace, uid, creationTimestamp: timestamp(now()), generation: 1 };
    const object = { apiVersion: 'v1', kind: 'Pod', spec, status: { phase: 'Running' }, metadata };
    api.store.put(resource('pods'), object as unknown as KubeObject);
  };
  const stop = (duration: Milliseconds) => {
    const name = `stop-${++stops}`;
    write('evictionstops', { name, body: { spec: { reason: 'incident' } } });
    // Absent by then if the store was replaced.
    options.at(now() + duration, () => remove('evictionstops', name));
  };
  const rule = (action: Extract<Action, { do: 'Rule' }>) => {
    const name = `rule-${action.rule}`;
    const before = mapAt(get('devicetaintrules', name), 'spec', 'taint');
    const timeAdded = before?.effect === action.effect ? before.timeAdded : timestamp(now());
    const taint = { key: 'example.com/rule', effect: action.effect, timeAdded };
    const body = { spec: { deviceSelector: selectorOf(action.selector), taint } };
    write('devicetaintrules', { name, body, annotations: paceOf(action.pace, action.paused) });
  };
  const paced = ({ pace, paused, selector, ...action }: Extract<Action, { do: 'Paced' }>) => {
    const rate = pace ? { evictionsPerSecond: pace.perSecond, burst: pace.burst } : {};
    const taints = [{ key: 'example.com/paced', effect: 'NoExecute', ...rate }];
    const spec = { deviceSelector: selectorOf(selector), taints, ...(paused ? { paused } : {}) };
    write('pacedtaintrules', { name: `paced-${action.rule}`, body: { spec } });
  };
  const policy = ({ pace, paused }: Extract<Action, { do: 'Policy' }>) => {
    const spec = {
      taints: {},
      evictionsPerSecond: pace.perSecond,
      burst: pace.burst,
      ...(paused ? { paused } : {}),
    };
    write('evictionpolicies', { name: 'policy', body: { spec } });
  };
  const taint = (device: number, isTainted: boolean) => {
    const id = `${poolOf(device)}/${nameOf(device)}`;
    if (isTainted === taints.has(id)) return;
    if (isTainted) taints.set(id, { key: 'example.com/sick', effect: 'NoExecute', timeAdded: timestamp(now()) });
    else taints.delete(id);
    slice(Math.floor(device / devicesPerPool) % pools);
  };
  const attribute = (device: number, model: Model) => {
    models.set(`${poolOf(device)}/${nameOf(device)}`, model);
    slice(Math.floor(device / devicesPerPool) % pools);
  };
  const deviceClassOf = ({ model }: Extract<Action, { do: 'Class' }>) => {
    const selectors = [model === undefined ? { cel: { expression: `device.driver == "${driver}"` } } : byModel(model)];
    write('deviceclasses', { name: deviceClass, body: { spec: { selectors } } });
  };
  const annotate = ({ pod: index, tolerates }: Extract<Action, { do: 'Annotate' }>) => {
    const type = resource('resourceclaims');
    const claim = api.store.get(type, `${namespace}/claim-${index}`);
    if (!claim) return;
    const annotations = { [tolerationsAnnotation]: annotated[tolerates] };
    api.store.put(type, { ...claim, metadata: { ...claim.metadata, annotations } } as KubeObject);
  };
  return {
    begin() {
      followPods({ ...options, comeBack: pod });
      forget();
      for (const name of ['default', 'kube-system', namespace]) write('namespaces', { name, body: { spec: {} } });
      for (let i = 0; i < pools; i++) slice(i);
    },
    resume() {
      followPods({ ...options, comeBack: pod });
      forget();
      for (const one of api.store.list(resource('resourceslices'))) {
        const pool = textAt(one, 'spec', 'pool', 'name');
        for (const device of listAt(one, 'spec', 'devices')) {
          const [taint] = listAt(device, 'taints');
          const id = `${pool}/${textAt(device, 'name')}`;
          if (taint) taints.set(id, taint as JsonMap);
          models.set(id, textAt(device, 'attributes', 'model', 'string') === 'old' ? 'old' : 'new');
        }
      }
    },
    endStops() {
      for (const one of api.store.list(resource('evictionstops'))) remove('evictionstops', one.metadata.name);
    },
    giveIncarnation(value) {
      write('namespaces', {
        name: 'kube-system',
        body: { spec: {} },
        annotations: { 'sluice.dev/incarnation': value },
      });
    },
    act(action) {
      switch (action.do) {
        case 'Pod':
          return pod(action.pod, action.device, action.tolerates);
        case 'RemovePod':
          return remove('pods', `${namespace}/pod-${action.pod}`);
        case 'Taint':
        case 'Untaint':
          return taint(action.device, action.do === 'Taint');
        case 'Attribute':
          return attribute(action.device, action.model);
        case 'Class':
          return deviceClassOf(action);
        case 'RemoveClass':
          return remove('deviceclasses', deviceClass);
        case 'Annotate':
          return annotate(action);
        case 'AgentTaint':
        case 'AgentUntaint':
          return agentSlice(action.device, action.do === 'AgentTaint');
        case 'Rule':
          return rule(action);
        case 'RemoveRule':
          return remove('devicetaintrules', `rule-${action.rule}`);
        case 'Paced':
          return paced(action);
        case 'RemovePaced':
          return remove('pacedtaintrules', `paced-${action.rule}`);
        case 'Policy':
          return policy(action);
        case 'Stop':
          return stop(action.for);
        case 'RemovePolicy':
          return remove('evictionpolicies', 'policy');
        default:
          return undefined;
      }
    },
  };
}

function byModel(model: Model): JsonMap {
  return { cel: { expression: `device.attributes["${driver}"].model == "${model}"` } };
}

function paceOf(pace: Pace | undefined, paused: true | undefined): JsonMap {
  const rate = pace
    ? { 'sluice.dev/evictions-per-second': String(pace.perSecond), 'sluice.dev/burst': String(pace.burst) }
    : {};
  return { ...rate, ...(paused ? { 'sluice.dev/paused': 'true' } : {}) };
}
