// Plays all kubelets of a cluster through its API: starts scheduled pods and removes terminating pods.
import { type ApiClient, type ClientOptions, createApiClient, type WatchEvent } from './cluster/client.ts';
import { isMap, type JsonMap, listAt, mapAt, textAt } from './cluster/object.ts';

export interface FakeKubeletOptions extends ClientOptions {
  /** Milliseconds from a pod's deletion to its removal, at most its grace period; default 0. */
  readonly terminationDelay?: number;
  /** Milliseconds from binding to Running; default 0. */
  readonly startDelay?: number;
  /** Called for failed calls, which are retried. */
  readonly onProblem?: (problem: string) => void;
}

export interface FakeKubelet {
  stop(): Promise<void>;
}

const scheduledPods = '/api/v1/pods?fieldSelector=spec.nodeName%21%3D';
const running = {
  phase: 'Running',
  conditions: ['Initialized', 'ContainersReady', 'Ready', 'PodScheduled'].map((type) => ({ type, status: 'True' })),
};

/** Runs against a real or simulated cluster until stopped. */
export function startFakeKubelet(options: FakeKubeletOptions): FakeKubelet {
  const client = createApiClient({ userAgent: 'fake-kubelet', ...options });
  const stopped = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  /** Planned action by pod UID, so that each phase is handled once. */
  const planned = new Map<string, 'start' | 'end'>();
  const problem = options.onProblem ?? (() => undefined);

  const later = (delay: number, act: () => Promise<void>) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act().catch((error: unknown) => {
        if (stopped.signal.aborted) return;
        problem(String(error));
        later(500, act);
      });
    }, delay);
    timers.add(timer);
  };
  const look = (pod: JsonMap) => {
    const uid = textAt(pod, 'metadata', 'uid') ?? '';
    const next = nextStep(pod);
    if (!next || planned.get(uid) === next) return;
    planned.set(uid, next);
    if (next === 'end') later(terminationDelay(pod, options.terminationDelay ?? 0), () => end(client, pod));
    else later(options.startDelay ?? 0, () => start(client, pod));
  };
  const observe = (event: WatchEvent) => {
    if (event.type === 'DELETED') planned.delete(textAt(event.object, 'metadata', 'uid') ?? '');
    else if (event.type === 'ADDED' || event.type === 'MODIFIED') look(event.object);
  };
  const work = (async () => {
    while (!stopped.signal.aborted) {
      try {
        await follow(client, stopped.signal, observe, look);
      } catch (error) {
        if (stopped.signal.aborted) break;
        problem(String(error));
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  })();

  return {
    async stop() {
      stopped.abort();
      for (const timer of timers) clearTimeout(timer);
      client.close();
      await work;
    },
  };
}

/** Lists, then watches from that version; returns when the watch ends. */
async function follow(
  client: ApiClient,
  signal: AbortSignal,
  observe: (event: WatchEvent) => void,
  look: (pod: JsonMap) => void,
): Promise<void> {
  const list = await client.call('GET', scheduledPods, { signal });
  if (list.status !== 200) throw new Error(`list pods: ${list.status} ${textAt(list.body, 'message') ?? ''}`);
  for (const item of listAt(list.body, 'items')) if (isMap(item)) look(item);
  const version = textAt(list.body, 'metadata', 'resourceVersion') ?? '';
  for await (const event of client.watch(`${scheduledPods}&watch=1&resourceVersion=${version}`, signal)) {
    if (event.type === 'ERROR') return;
    observe(event);
  }
}

function nextStep(pod: JsonMap): 'start' | 'end' | undefined {
  if (!textAt(pod, 'spec', 'nodeName')) return undefined;
  const metadata = mapAt(pod, 'metadata');
  if (metadata?.deletionTimestamp) return metadata.deletionGracePeriodSeconds === 0 ? undefined : 'end';
  return textAt(pod, 'status', 'phase') === 'Pending' ? 'start' : undefined;
}

function terminationDelay(pod: JsonMap, wanted: number): number {
  const grace = mapAt(pod, 'metadata')?.deletionGracePeriodSeconds;
  return typeof grace === 'number' ? Math.min(wanted, grace * 1000) : wanted;
}

function pathOf(pod: JsonMap): string {
  return `/api/v1/namespaces/${textAt(pod, 'metadata', 'namespace')}/pods/${textAt(pod, 'metadata', 'name')}`;
}

async function start(client: ApiClient, pod: JsonMap): Promise<void> {
  const answer = await client.call('PATCH', `${pathOf(pod)}/status`, {
    contentType: 'application/strategic-merge-patch+json',
    body: { metadata: { uid: textAt(pod, 'metadata', 'uid') }, status: running },
  });
  requireDone('PATCH', pod, answer.status);
}

/** Like a kubelet after the containers have stopped: DELETE with grace period 0 and UID precondition. */
async function end(client: ApiClient, pod: JsonMap): Promise<void> {
  const answer = await client.call('DELETE', pathOf(pod), {
    body: { gracePeriodSeconds: 0, preconditions: { uid: textAt(pod, 'metadata', 'uid') } },
  });
  requireDone('DELETE', pod, answer.status);
}

/** A deleted or replaced pod (404, 409, 422) counts as success. */
function requireDone(method: string, pod: JsonMap, status: number): void {
  if (status < 300 || [404, 409, 422].includes(status)) return;
  throw new Error(`${method} ${pathOf(pod)}: ${status}`);
}
