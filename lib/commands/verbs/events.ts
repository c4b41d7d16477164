// `sluice events`: prints the Events that Sluice wrote for pods, claims, rules and policies.
import { formatInstant } from '../../model/time.ts';
import { readEvents, type SluiceEvent } from '../cluster/events.ts';
import { inNamespace } from '../cluster/namespaces.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { isSet } from '../flags.ts';
import { type Found, formatOf, printFound } from '../output/print.ts';
import { watchFound } from '../output/watch.ts';

export async function run(call: Call): Promise<number> {
  const format = await formatOf(call);
  return withCluster(call, async (cluster) => {
    if (isSet(call.flags, 'watch')) await watchFound(call, format, () => find(cluster));
    else await printFound(call, await find(cluster), format);
    return 0;
  });
}

async function find(cluster: OpenCluster): Promise<Found<SluiceEvent>> {
  const namespace = cluster.isEverywhere ? undefined : cluster.namespace;
  return {
    items: await inNamespace(cluster, namespace, await readEvents(cluster, { namespace })),
    columns: [
      { name: 'TIME', of: ({ at }) => formatInstant(at), isName: true },
      { name: 'TYPE', of: ({ type }) => type },
      { name: 'REASON', of: ({ reason }) => reason },
      { name: 'OBJECT', of: ({ regarding }) => regarding },
      { name: 'MESSAGE', of: ({ message }) => message },
    ],
    object: ({ object }) => object,
    name: ({ name }) => `event/${name}`,
    noun: namespace === undefined ? 'Events of Sluice' : `Events of Sluice in namespace ${namespace}`,
  };
}
