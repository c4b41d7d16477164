// `sluice get`: lists objects of one kind, or shows one; `--watch` prints changed rows.

import { clusterNameOf } from '../../model/identity.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { withCluster } from '../cluster/open.ts';
import { readStopped } from '../cluster/stopped.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { isSet, namespaceFlag, numberFlag, textFlag } from '../flags.ts';
import { clustersFound } from '../get/clusters.ts';
import { devicesFound, taintsFound } from '../get/devices.ts';
import { evictionsOfEvents, evictionsOfTable } from '../get/evictions.ts';
import { podsFound } from '../get/pods.ts';
import { listPolicies, policiesFound, requirePolicy } from '../get/policies.ts';
import { listRules, requireRule, rulesFound } from '../get/rules.ts';
import { chooseInstallation } from '../installation/choose.ts';
import { requireCluster } from '../installation/clusters.ts';
import { type OpenInstallation, stateOf, withInstallation } from '../installation/open.ts';
import { line } from '../io.ts';
import { refuseOtherNamespace } from '../onlyPod.ts';
import { type Format, type Found, formatOf, printFound } from '../output/print.ts';
import { watchFound } from '../output/watch.ts';

/** Results with any type of row. */
// biome-ignore lint/suspicious/noExplicitAny: the columns of a result always fit its own items
type AnyFound = Found<any>;

export async function run(call: Call): Promise<number> {
  const [what, name] = call.args;
  if (what === 'pods' && name !== undefined) refuseOtherNamespace(name, call.flags);
  const format = await formatOf(call);
  if (what === 'clusters')
    return withInstallation(call, (open) =>
      show(call, format, () => clustersFound(open, { name: clusterNamed(call, name), now: call.io.now() })),
    );
  if (what === 'evictions') return evictions(call, format, name);
  return withCluster(call, (cluster) => show(call, format, () => list(cluster, call).catch(refusedSelector(call))));
}

/** `get clusters NAME` and `--cluster NAME` are the same. */
function clusterNamed({ flags }: Call, name: string | undefined): string | undefined {
  const option = textFlag(flags, 'cluster');
  if (name !== undefined && option !== undefined && name !== option)
    throw new UsageFailure(`${name} and --cluster ${option} differ`, 'omit --cluster');
  return name ?? option;
}

/** Turns the API server's 400 for a label selector into a usage error. */
function refusedSelector({ flags }: Call): (error: unknown) => never {
  return (error) => {
    const selector = textFlag(flags, 'selector');
    const [, why] = /: 400 (.*)/.exec(error instanceof Failure ? error.message : '') ?? [];
    if (selector === undefined || why === undefined) throw error;
    throw new UsageFailure(`-l ${selector} is not a label selector: ${why}`, 'write it as a=b,c!=d');
  };
}

async function list(cluster: OpenCluster, call: Call): Promise<AnyFound> {
  const [what, name] = call.args;
  const now = call.io.now();
  const selector = textFlag(call.flags, 'selector');
  const isSingle = name !== undefined;
  if (selector !== undefined && (isSingle || what === 'taints' || what === 'devices'))
    throw new UsageFailure(isSingle ? '-l and a name cannot be combined' : `${what} have no labels`);
  const notRead = (problems: readonly string[]) => {
    for (const one of problems) line(call.io.err, `not read: ${one}`);
  };
  switch (what) {
    case 'rules': {
      const { stopped, problems } = await readStopped(cluster);
      notRead(problems);
      return rulesFound(
        isSingle ? [await requireRule(cluster, name)] : await listRules(cluster, { labelSelector: selector }),
        { now, isSingle, isStopped: problems.length > 0 ? 'Unknown' : stopped !== undefined },
      );
    }
    case 'policies':
      return policiesFound(
        isSingle ? [await requirePolicy(cluster, name)] : await listPolicies(cluster, { labelSelector: selector }),
        { now, isSingle },
      );
    case 'devices':
      return devicesFound(cluster, name);
    case 'taints':
      return taintsFound(cluster, { name, now });
    default:
      return podsFound(cluster, { name, selector, now, notRead });
  }
}

/** From the state table, which has outcomes, if an installation is known and can be read; else from Events by kubeconfig. */
async function evictions(call: Call, format: Format, name: string | undefined): Promise<number> {
  if (name !== undefined) throw new UsageFailure('evictions have no name', 'for one pod: sluice why pod NAME');
  const limit = numberFlag(call.flags, 'limit', { least: 1, most: 1000, isWhole: true }) ?? 100;
  const namespace = isSet(call.flags, 'allNamespaces') ? undefined : namespaceFlag(call.flags);
  const known = async (open: OpenInstallation) => {
    const state = await stateOf(open);
    await requireCluster(open, clusterNameOf(state.cluster));
    return state;
  };
  const { isRead, why } = await chooseInstallation(call, known);
  const ofTable = async (open: OpenInstallation) =>
    evictionsOfTable(await known(open), {
      now: call.io.now(),
      namespace,
      limit,
      notRead: (problem) => line(call.io.err, `not read: ${problem}`),
    });
  if (isRead) return withInstallation(call, (open) => show(call, format, () => ofTable(open)));
  if (why !== undefined) line(call.io.err, `using the API server only: ${why}`);
  return withCluster(call, (cluster) => show(call, format, () => evictionsOfEvents(cluster, { namespace, limit })));
}

async function show(call: Call, format: Format, find: () => Promise<AnyFound>): Promise<number> {
  if (isSet(call.flags, 'watch')) await watchFound(call, format, find);
  else await printFound(call, await find(), format);
  return 0;
}
