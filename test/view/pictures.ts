// Pictures of a cluster for renderer tests; every function takes overrides.
import type { ClusterProgress, LastEviction, LimiterProgress, PlanProgress } from '../../lib/view/progress.ts';

export const at = Date.UTC(2027, 2, 4, 9, 30, 0);

export function aLimiter(overrides: Partial<LimiterProgress> = {}): LimiterProgress {
  return {
    limiter: 'rule|u',
    kind: 'Rule',
    name: 'bad-gpus',
    place: 'DeviceTaintRule bad-gpus',
    selector: 'driver gpu.example.com',
    taint: 'example.com/bad=yes:NoExecute',
    effect: 'NoExecute',
    rate: { perSecond: 10, burst: 10 },
    state: 'Evicting',
    counts: { evicted: 30, deleting: 10, pending: 50, waiting: 10 },
    total: 100,
    isPartial: false,
    isEvaluating: false,
    nextAt: at + 100,
    finishAt: at + 200_000,
    perSecond: [0, 10, 12],
    ...overrides,
  };
}

export function anEviction(overrides: Partial<LastEviction> = {}): LastEviction {
  return {
    pod: { namespace: 'ns', name: 'pod-1', uid: 'u1' },
    node: 'node-1',
    at,
    outcome: 'evicted',
    source: 'DeviceTaintRule bad-gpus',
    taint: 'example.com/bad=yes:NoExecute',
    device: 'gpu.example.com/pool/gpu-0',
    moreReasons: 0,
    sources: ['DeviceTaintRule/bad-gpus'],
    ...overrides,
  };
}

export function aPicture(overrides: Partial<ClusterProgress> = {}): ClusterProgress {
  return {
    cluster: 'prod',
    at,
    watcher: { lastHeard: at - 1500, age: 1500, isAlive: true },
    pods: { deleting: 10, pending: 50, waiting: 10 },
    recent: { evicted: 30, window: 600_000, isPartial: false },
    limiters: [aLimiter()],
    last: [anEviction()],
    plans: [aPlan()],
    ...overrides,
  };
}

export function aPlan(overrides: Partial<PlanProgress> = {}): PlanProgress {
  const pod = { namespace: 'team-a', name: 'train-0', uid: 'u-0' };
  const devices = [{ driver: 'gpu.example.com', pool: 'node-1', device: 'gpu-0' }];
  return {
    rule: 'ask-first',
    at,
    summary: {
      pods: 7,
      namespaces: 2,
      undecided: 1,
      beyondBudgets: 3,
      unbudgeted: 1,
      free: [{ driver: 'gpu.example.com', free: 12 }],
      takes: 45_000,
    },
    first: [
      {
        pod,
        node: 'node-1',
        owner: { kind: 'Job', name: 'train' },
        priority: 100,
        claims: [{ name: 'gpus', devices }],
        tolerated: 0,
        order: '0',
        headroom: { kind: 'Budget', name: 'train', allowed: 4 },
      },
    ],
    ...overrides,
  };
}
