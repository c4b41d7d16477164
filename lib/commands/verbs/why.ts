// `sluice why`: why a pod was evicted, is pending or is kept; what a rule or device evicted, and what it does now.
import { clusterNameOf } from '../../model/identity.ts';
import { type RuleRef, ruleRef } from '../../model/rule.ts';
import type { State } from '../../state/state.ts';
import { explainRecords, readWhy, renderWhy } from '../../view/why.ts';
import type { Picture } from '../cluster/assemble.ts';
import { requireDevice } from '../cluster/devices.ts';
import { nameOf } from '../cluster/objects.ts';
import { kubeconfigOf, type OpenCluster, withCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { explainDevice, explainPod } from '../cluster/verdicts.ts';
import type { Call } from '../definition.ts';
import { explainRuleIn } from '../explainRule.ts';
import { Failure, failureLines, UsageFailure } from '../failure.ts';
import { isSet, namespaceFlag, numberFlag, requireName } from '../flags.ts';
import { explainByEvents } from '../get/evictions.ts';
import { requireRule } from '../get/rules.ts';
import { requireCluster } from '../installation/clusters.ts';
import { stateOf, withInstallation } from '../installation/open.ts';
import { readsInstallation } from '../installation/target.ts';
import { line } from '../io.ts';
import { nearestPod, onlyPod, podNamed, podText, refuseOtherNamespace } from '../onlyPod.ts';
import { explanationsIn, shownAs } from '../output/explanation.ts';
import { fitLine } from '../output/fitted.ts';
import { type Format, formatOf, printFound } from '../output/print.ts';

/** Asks cluster and state table if both are known; if only one fails, prints its error and the answer of the other. */
export async function run(call: Call): Promise<number> {
  const { io } = call;
  const { kind, name } = wantedOf(call);
  if (kind === 'pod') refuseOtherNamespace(name, call.flags);
  const format = await formatOf(call);
  const isSlice = kind === 'rule' && name.startsWith(slicePrefix);
  const hasRecords = !isSlice && readsInstallation(call, { hasCluster: kubeconfigOf(call) !== undefined });
  const live = (cluster: OpenCluster) => explainLive(cluster, { kind, name, hasRecords, now: io.now() });
  const asked = [
    ...(kubeconfigOf(call) === undefined
      ? []
      : [withCluster(call, live).then((lines) => explanationsIn('Cluster', lines))]),
    ...(hasRecords ? [explainStored(call).then((lines) => explanationsIn('Records', lines))] : []),
  ];
  if (asked.length === 0) throw unasked(isSlice);
  const answers = await Promise.allSettled(asked);
  const failures = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  const items = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (items.length === 0)
    throw (
      failures[0] ?? new Failure(`there is no record of ${subjectOf(call)}`, 'records are kept for 90 days by default')
    );
  for (const one of failures) line(io.err, failureLines(one)[0] ?? '');
  if (format.kind === 'table' || format.kind === 'wide')
    for (const one of items.flatMap(({ lines }) => lines)) printText(io, one, format);
  else await printFound(call, { items, columns: [], ...shownAs({ kind, name }), noun: 'explanations' }, format);
  return 0;
}

function printText(io: Call['io'], text: string, { kind }: Pick<Format, 'kind'>): void {
  if (kind === 'wide') line(io.out, text);
  else fitLine(io.out, text, { env: io.env });
}

/** Records name the devices of an eviction, and no slice. */
function unasked(isSlice: boolean): UsageFailure {
  if (!isSlice)
    return new UsageFailure(
      'neither a cluster nor an installation is given',
      'specify --kubeconfig FILE or --table NAME',
    );
  return new UsageFailure(
    'the taints of a DeviceTaintSlice are read from its cluster, and no cluster is given',
    'specify --kubeconfig FILE, or read the records of a device: sluice why device DRIVER/POOL/DEVICE',
  );
}

function wantedOf({ args: [kind = '', name = ''] }: Call): { readonly kind: string; readonly name: string } {
  return { kind, name };
}

function subjectOf({ args: [kind, name] }: Call): string {
  return `${kind} ${name}`;
}

/** Its taints evict without a rule, and messages name it as one. */
const slicePrefix = 'DeviceTaintSlice/';

/** `hasRecords`: the state table is asked too, and its record of a pod that is gone says more than an Event. */
export async function explainLive(
  cluster: OpenCluster,
  of: { readonly kind: string; readonly name: string; readonly hasRecords: boolean; readonly now: number },
): Promise<readonly string[]> {
  const { kind, name, now } = of;
  switch (kind) {
    case 'pod':
      return explainLivePod(cluster, of);
    case 'rule': {
      const seen = await readPicture(cluster);
      if (name.startsWith(slicePrefix)) {
        const { explainTaintSlice } = await import('../explainTaintSlice.ts');
        const asked = { name: requireName(name.slice(slicePrefix.length)), seen, now };
        return [...(await explainTaintSlice(cluster, asked)), ...notRead(seen)];
      }
      const rule = await requireRule(cluster, name);
      return [...(await explainRuleIn(cluster, rule, { picture: seen, now })), ...notRead(seen)];
    }
    default: {
      const id = requireDevice(name);
      const seen = await readPicture(cluster);
      if (!seen.snapshot.pools.get(`${id.driver}|${id.pool}`)?.devices.has(id.device))
        throw new Failure(
          `no ResourceSlice in context ${cluster.context} publishes device ${name}`,
          'see: sluice get devices',
        );
      return [...explainDevice(id, { seen, now }), ...notRead(seen)];
    }
  }
}

function notRead({ problems }: Pick<Picture, 'problems'>): readonly string[] {
  return problems.map((one) => `  not read: ${one}`);
}

async function explainLivePod(
  cluster: OpenCluster,
  { name, hasRecords, now }: { readonly name: string; readonly hasRecords: boolean; readonly now: number },
): Promise<readonly string[]> {
  const wanted = podNamed(name, cluster);
  const { namespace } = wanted;
  const picture = await readPicture(cluster, namespace === undefined ? {} : { namespace });
  const { snapshot } = picture;
  const pod = onlyPod(snapshot.pods.filter((one) => one.name === wanted.name || one.uid === name));
  const named = (one: { readonly name: string; readonly uid: string }) => one.name === wanted.name || one.uid === name;
  const past = async () =>
    hasRecords ? [] : await explainByEvents(cluster, { namespace: pod?.namespace ?? namespace, named });
  if (pod?.deletionTimestamp !== undefined) return [...explainPod(pod, picture, now), ...(await past())];
  if (pod) return [...explainPod(pod, picture, now), ...notRead(picture)];
  const { findObject } = await import('../cluster/objects.ts');
  const { podResource } = await import('../../adapters/kubernetes/servedVersion.ts');
  const other = namespace === undefined ? undefined : await findObject(cluster, podResource, wanted);
  if (other) return [`${namespace}/${nameOf(other)}: kept; it has no ResourceClaim, so it uses no device`];
  const evicted = await past();
  if (evicted.length > 0) return evicted;
  throw new Failure(
    `there is no pod ${podText(wanted)}${namespace === undefined ? ' with devices' : ''} in context ${cluster.context}`,
    nearestPod(wanted, snapshot.pods),
  );
}

async function explainStored(call: Call): Promise<readonly string[]> {
  const [kind, name = ''] = call.args;
  const limit = numberFlag(call.flags, 'limit', { least: 1, most: 9999, isWhole: true }) ?? 20;
  return withInstallation(call, async (open) => {
    const state = await stateOf(open);
    await requireCluster(open, clusterNameOf(state.cluster));
    const namespace = namespaceFlag(call.flags) ?? 'default';
    if (kind === 'pod' && isSet(call.flags, 'allNamespaces') && !/[/]|^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name))
      throw new Failure(
        `records of pod ${name} can only be read by namespace`,
        'specify -n NAMESPACE, or the UID of the pod',
      );
    return explainFromTable(state, { kind: kind ?? '', name, namespace, limit, now: call.io.now() });
  });
}

/** Refs in records: a name without its kind may be that of either kind of rule. */
function refsOf(name: string): readonly RuleRef[] {
  const kinds = ['DeviceTaintRule', 'PacedTaintRule'] as const;
  const named = kinds.find((kind) => name.startsWith(`${kind}/`));
  if (named) return [ruleRef({ kind: named, name: name.slice(named.length + 1) })];
  return kinds.map((kind) => ruleRef({ kind, name }));
}

/** Empty if there is no record and no known pod of that name. */
export async function explainFromTable(
  state: State,
  of: {
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
    readonly limit: number;
    readonly now: number;
  },
): Promise<readonly string[]> {
  const { kind, name, limit } = of;
  if (kind === 'rule') {
    const of = await Promise.all(refsOf(name).map((rule) => explainRecords(state, { kind: 'Rule', rule }, limit)));
    return of.flat();
  }
  if (kind === 'device') return explainRecords(state, { kind: 'Device', device: requireDevice(name) }, limit);
  const pod = podNamed(name, { namespace: of.namespace, isEverywhere: false });
  // A UID needs no namespace.
  const isUid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name);
  const subject = isUid ? name : podText(pod);
  const why = await readWhy(state, subject, of.now);
  const isKnown = why.present !== undefined || why.records.length > 0;
  return isKnown ? renderWhy(subject, why) : [];
}
