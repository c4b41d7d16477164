// A console over many rules in every state and 1,000 pods, whose records come from a table that the real steps wrote.
import type { TableSource } from '../../../lib/commands/console/source.ts';
import { type Cluster, startCluster } from '../../../lib/local/cluster/cluster.ts';
import { describeFleet, populate } from '../../../lib/local/cluster/fleet.ts';
import type { JsonMap } from '../../../lib/local/cluster/object.ts';
import type { ClusterProgress, LimiterProgress } from '../../../lib/view/progress.ts';
import { aLimiter, anEviction, aPicture, aPlan } from '../../view/pictures.ts';

/** Of five successive rules one is held, one evicting, one waiting, one completed, one only planned. */
export const ruleStates = ['Held', 'Evicting', 'Waiting', 'Completed', 'Planned'] as const;

export interface Crowd {
  readonly cluster: Cluster;
  /** What the table says of the rules at this moment; a test changes single limiters. */
  readonly limiters: LimiterProgress[];
  progress(): Promise<ClusterProgress>;
}

/** `first`: name of the first rule. */
export async function startCrowd(by: { readonly rules: number; readonly first: string }): Promise<Crowd> {
  const cluster = await startCluster();
  const drivers = ['gpu.example.com', 'nic.example.com'];
  populate(describeFleet({ nodes: 60, devicesPerNode: 20, pods: 1000, drivers }), (one) => cluster.seed(one));
  const limiters: LimiterProgress[] = [];
  for (let i = 0; i < by.rules; i++) {
    const name = i === 0 ? by.first : `rule-${String(i).padStart(2, '0')}-of-a-longer-name`;
    cluster.seed(ruleOf(name, i));
    const rule = cluster.store.get(cluster.resource('devicetaintrules'), name);
    limiters.push(limiterOf(name, { uid: rule?.metadata.uid ?? '', index: i }));
  }
  const last = Array.from({ length: 50 }, (_, i) =>
    anEviction({ pod: { namespace: 'ns', name: `pod-${i}`, uid: `u${i}` } }),
  );
  const plans = limiters.filter(({ effect }) => effect === 'None').map(({ name }) => aPlan({ rule: name }));
  return {
    cluster,
    limiters,
    progress: async () => aPicture({ at: Date.now(), limiters: [...limiters], last, plans }),
  };
}

/** The records of `records`, beside the numbers of the crowd. */
export function tableOf(crowd: Crowd, records: TableSource['state']): TableSource {
  return { state: records, progress: crowd.progress };
}

function ruleOf(name: string, index: number): JsonMap {
  const state = ruleStates[index % ruleStates.length];
  const pool = `node-${String((index * 2) % 60).padStart(3, '0')}`;
  const held = {
    type: 'sluice.dev/Held',
    status: state === 'Held' ? 'True' : 'False',
    reason: state === 'Held' ? 'ApprovalRequired' : 'NotHeld',
    message: `EvictionPolicy careful asks for an approval of a plan of more than 10 pods. Approve it with sluice.dev/approve=${'0123456789ab'}.`,
    lastTransitionTime: '2026-01-01T11:00:00Z',
  };
  const going = {
    type: 'EvictionInProgress',
    status: state === 'Evicting' ? 'True' : 'False',
    reason: state === 'Completed' ? 'Completed' : state === 'Planned' ? 'NoEffect' : 'PodsPendingEviction',
    message: '40 pods need to be evicted in 4 different namespaces. 10 pods evicted since starting the controller.',
    lastTransitionTime: '2026-01-01T11:00:00Z',
  };
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceTaintRule',
    metadata: { name },
    spec: {
      deviceSelector: index === 0 ? { driver: 'gpu.example.com' } : { driver: 'gpu.example.com', pool },
      taint: {
        key: `example.com/reason-${index}`,
        value: 'xid-79',
        effect: state === 'Planned' ? 'None' : 'NoExecute',
      },
    },
    status: { conditions: [held, going] },
  };
}

/** What the table says of the rule at `index`. */
export function limiterOf(name: string, by: { readonly uid: string; readonly index: number }): LimiterProgress {
  const state = ruleStates[by.index % ruleStates.length];
  const effect = state === 'Planned' ? 'None' : 'NoExecute';
  const same = {
    limiter: `rule|${by.uid}`,
    name,
    taint: `example.com/reason-${by.index}=xid-79:${effect}`,
    effect,
    perSecond: Array.from({ length: 120 }, (_, i) => (i + by.index) % 4),
  } as const;
  const { nextAt: _, finishAt: __, ...held } = aLimiter(same);
  const left = { evicted: 30, deleting: 0, pending: 0, waiting: 0 };
  switch (state) {
    case 'Held':
      return { ...held, heldBecause: 'EvictionPolicy careful asks for an approval' };
    case 'Waiting':
      return aLimiter({ ...same, state: 'Waiting', counts: { ...left, waiting: 70 } });
    case 'Completed':
      return aLimiter({ ...same, state: 'Completed', counts: left, total: 30 });
    case 'Planned':
      return aLimiter({ ...same, state: 'NoEffect', counts: { ...left, evicted: 0 }, total: 0 });
    default:
      return aLimiter(same);
  }
}
