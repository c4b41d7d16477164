// Columns of `kubectl get`: those of kube-apiserver (pkg/printers/internalversion) and of Sluice's CRDs.
import { at, isMap, type JsonMap, type KubeObject, listAt, textAt } from './object.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  /** 1: only with `-o wide`. */
  readonly priority?: 1;
  /** `now`: epoch milliseconds. */
  readonly cell: (object: KubeObject, now: number) => unknown;
}

const field = (name: string, type: Column['type'], ...path: readonly string[]): Column => ({
  name,
  type,
  cell: (object) => at(object, ...path) ?? null,
});
const condition = (name: string, type: string, of: string): Column => ({
  name,
  type: 'string',
  cell: (object) => textAt(conditionOf(object, type), of) ?? null,
});
const wide = (column: Column): Column => ({ ...column, priority: 1 });
const aged = (name: string, ...path: readonly string[]): Column => ({
  name,
  type: 'string',
  cell: (object, now) => ageText(textAt(object, ...path), now),
});
const firstTaint = (name: string, type: Column['type'], of: string): Column => ({
  name,
  type,
  cell: (object) => at(listAt(object, 'spec', 'taints')[0], of) ?? null,
});

function conditionOf(object: KubeObject, type: string): JsonMap | undefined {
  return listAt(object, 'status', 'conditions').find((one): one is JsonMap => isMap(one) && one.type === type);
}

/** Age in the format of upstream's duration.HumanDuration; `<unknown>` without a time. */
export function ageText(since: string | undefined, now: number): string {
  if (since === undefined) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit)) as [
    number,
    number,
    number,
  ];
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return both(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return both(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  return days < 8 ? both(days, 'd', hours % 24, 'h') : `${days}d`;
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}${largeUnit}${small === 0 ? '' : `${small}${smallUnit}`}`;
}

const name: Column = field('Name', 'string', 'metadata', 'name');
const age: Column = aged('Age', 'metadata', 'creationTimestamp');
/** Age column of a custom resource. */
const dateAge: Column = { ...age, type: 'date' };

function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return textAt(pod, 'status', 'reason') ?? textAt(pod, 'status', 'phase') ?? 'Unknown';
}

function claimState(claim: KubeObject): string {
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  const isAllocated = at(claim, 'status', 'allocation') !== undefined;
  return [
    isDeleted ? ['deleted'] : [],
    isAllocated ? ['allocated'] : isDeleted ? [] : ['pending'],
    isAllocated && listAt(claim, 'status', 'reservedFor').length > 0 ? ['reserved'] : [],
  ]
    .flat()
    .join(',');
}

const isReady = (object: KubeObject) => textAt(conditionOf(object, 'Ready'), 'status') === 'True';
const text = (label: string, cell: Column['cell']): Column => ({ name: label, type: 'string', cell });

/** By plural name; other kinds show name and age. */
const printed: Readonly<Record<string, readonly Column[]>> = {
  pods: [
    name,
    text(
      'Ready',
      (pod) =>
        `${isReady(pod) ? listAt(pod, 'spec', 'containers').length : 0}/${listAt(pod, 'spec', 'containers').length}`,
    ),
    text('Status', podStatus),
    text('Restarts', () => '0'),
    age,
    wide(text('Node', (pod) => textAt(pod, 'spec', 'nodeName') ?? '<none>')),
  ],
  nodes: [
    name,
    text('Status', (node) => (isReady(node) ? 'Ready' : 'NotReady')),
    text('Roles', () => '<none>'),
    age,
    text('Version', (node) => textAt(node, 'status', 'nodeInfo', 'kubeletVersion') ?? ''),
  ],
  namespaces: [name, field('Status', 'string', 'status', 'phase'), age],
  events: [
    text('Last Seen', (event, now) => ageText(textAt(event, 'lastTimestamp') ?? textAt(event, 'eventTime'), now)),
    field('Type', 'string', 'type'),
    field('Reason', 'string', 'reason'),
    text(
      'Object',
      (event) => `${textAt(event, 'involvedObject', 'kind')?.toLowerCase()}/${textAt(event, 'involvedObject', 'name')}`,
    ),
    field('Message', 'string', 'message'),
    wide(name),
  ],
  poddisruptionbudgets: [
    name,
    text('Min Available', (budget) => String(at(budget, 'spec', 'minAvailable') ?? 'N/A')),
    text('Max Unavailable', (budget) => String(at(budget, 'spec', 'maxUnavailable') ?? 'N/A')),
    { name: 'Allowed Disruptions', type: 'integer', cell: (budget) => at(budget, 'status', 'disruptionsAllowed') ?? 0 },
    age,
  ],
  resourceclaims: [name, text('State', claimState), age],
  resourceslices: [
    name,
    field('Node', 'string', 'spec', 'nodeName'),
    field('Driver', 'string', 'spec', 'driver'),
    field('Pool', 'string', 'spec', 'pool', 'name'),
    age,
  ],
  devicetaintrules: [
    name,
    field('Key', 'string', 'spec', 'taint', 'key'),
    field('Value', 'string', 'spec', 'taint', 'value'),
    field('Effect', 'string', 'spec', 'taint', 'effect'),
    aged('TimeAdded', 'spec', 'taint', 'timeAdded'),
    age,
  ],
  devicetaintslices: [
    name,
    field('Driver', 'string', 'spec', 'driver'),
    field('Pool', 'string', 'spec', 'pool'),
    field('Generation', 'integer', 'spec', 'generation'),
    field('Stale', 'integer', 'status', 'staleEntries'),
    field('Unknown', 'integer', 'status', 'unknownDevices'),
    dateAge,
  ],
  evictionpolicies: [
    name,
    field('Rate', 'number', 'spec', 'evictionsPerSecond'),
    field('Cap', 'number', 'spec', 'maxEvictionsPerSecond'),
    field('Paused', 'boolean', 'spec', 'paused'),
    condition('Accepted', 'Accepted', 'status'),
    condition('Held', 'sluice.dev/Held', 'status'),
    wide(condition('Accepted Message', 'Accepted', 'message')),
    wide(condition('Held Message', 'sluice.dev/Held', 'message')),
    dateAge,
  ],
  evictionstops: [name, field('Reason', 'string', 'spec', 'reason'), dateAge],
  pacedtaintrules: [
    name,
    firstTaint('Key', 'string', 'key'),
    firstTaint('Effect', 'string', 'effect'),
    field('Rate', 'string', 'status', 'rate'),
    condition('Evicting', 'EvictionInProgress', 'status'),
    condition('Reason', 'EvictionInProgress', 'reason'),
    condition('Held', 'sluice.dev/Held', 'reason'),
    wide(condition('Message', 'EvictionInProgress', 'message')),
    dateAge,
  ],
};

export function columnsOf(plural: string): readonly Column[] {
  return printed[plural] ?? [name, age];
}
