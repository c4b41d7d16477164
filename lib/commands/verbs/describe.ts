// `sluice describe`: shows one object, what decides about its evictions, and its Events.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import { type Json, objectOf } from '../../adapters/kubernetes/read.ts';
import { formatInstant } from '../../model/time.ts';
import type { Picture } from '../cluster/assemble.ts';
import { requireDevice } from '../cluster/devices.ts';
import { readEvents } from '../cluster/events.ts';
import { nameOf } from '../cluster/objects.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { planOf, taintsInCluster } from '../cluster/planning.ts';
import { explainDevice, explainPod } from '../cluster/verdicts.ts';
import type { Call } from '../definition.ts';
import { explainRule } from '../explainRule.ts';
import { Failure } from '../failure.ts';
import { annotationsOf, approvalWritten, pausesWritten, requirePolicy } from '../get/policies.ts';
import { requireRule } from '../get/rules.ts';
import { type Io, widthOf } from '../io.ts';
import { type NamedPod, nearestPod, onlyPod, podNamed, podText, refuseOtherNamespace } from '../onlyPod.ts';
import { fitLine } from '../output/fitted.ts';
import { summaryLines } from '../output/planText.ts';

/** Maximum number of Events shown, newest last. */
const eventsShown = 10;

export async function run(call: Call): Promise<number> {
  const { io } = call;
  const [kind, name = ''] = call.args;
  if (kind === 'pod') refuseOtherNamespace(name, call.flags);
  return withCluster(call, async (cluster) => {
    for (const one of await describe(cluster, call)) fitLine(io.out, one, { env: io.env });
    return 0;
  });
}

async function describe(cluster: OpenCluster, { args: [kind, name = ''], io }: Call): Promise<readonly string[]> {
  const now = io.now();
  switch (kind) {
    case 'rule': {
      const rule = await requireRule(cluster, name);
      return describeRule(cluster, rule, { picture: await readPicture(cluster), now });
    }
    case 'policy':
      return describePolicy(cluster, await requirePolicy(cluster, name), io);
    case 'pod': {
      const wanted = podNamed(name, cluster);
      const { namespace } = wanted;
      const picture = await readPicture(cluster, namespace === undefined ? {} : { namespace });
      return describePod(cluster, wanted, { picture, now });
    }
    default:
      return describeDevice(cluster, name, { picture: await readPicture(cluster), now });
  }
}

interface By {
  readonly picture: Picture;
  readonly now: number;
}

async function describeRule(cluster: OpenCluster, rule: Json, { picture, now }: By): Promise<readonly string[]> {
  const { summary } = await planOf(cluster, { taints: taintsInCluster(rule, picture, now), picture, now, rule });
  const annotations = Object.entries(annotationsOf(rule)).filter(([key]) => key.includes('sluice.dev/'));
  return [
    ...explainRule(rule, picture, now),
    ...annotations.map(([key, value]) => `  annotation ${key}=${value.replace(/\s+/g, ' ')}`),
    'Plan:',
    ...summaryLines(summary).map((one) => `  ${one}`),
    ...(await eventLines(cluster, `${String(rule.kind).toLowerCase()}/${nameOf(rule)}`)),
  ];
}

async function describePolicy(cluster: OpenCluster, policy: Json, { out, env }: Io): Promise<readonly string[]> {
  const { stringify } = await import('../output/yaml.ts');
  const said = conditionsOf(policy).map(
    ({ type, status, reason, message }) => `  ${type} is ${status} (${reason}): ${message}`,
  );
  const approval = approvalWritten(policy);
  return [
    `EvictionPolicy ${nameOf(policy)}`,
    ...pausesWritten(policy).map((one) => `  paused: ${one}`),
    ...(approval === undefined ? [] : [`  ${approval}`]),
    ...said,
    'Spec:',
    ...stringify(objectOf(policy.spec), { lineWidth: (widthOf(out, env) ?? 82) - 2 })
      .trimEnd()
      .split('\n')
      .map((one) => `  ${one}`),
    ...(await eventLines(cluster, `evictionpolicy/${nameOf(policy)}`)),
  ];
}

async function describePod(cluster: OpenCluster, wanted: NamedPod, { picture, now }: By): Promise<readonly string[]> {
  const { snapshot } = picture;
  const pod = onlyPod(snapshot.pods.filter((one) => one.name === wanted.name));
  if (!pod)
    throw new Failure(
      `there is no pod ${podText(wanted)} with devices in context ${cluster.context}`,
      nearestPod(wanted, snapshot.pods),
    );
  const owner = pod.controller
    ? `  owner ${pod.controller.kind} ${pod.controller.name}`
    : '  no owner; the pod will not be recreated';
  return [
    ...explainPod(pod, picture, now),
    `  node ${pod.nodeName ?? 'none'}`,
    owner,
    ...(await eventLines(cluster, `pod/${pod.namespace}/${pod.name}`, pod.namespace)),
  ];
}

async function describeDevice(cluster: OpenCluster, name: string, { picture, now }: By): Promise<readonly string[]> {
  const id = requireDevice(name);
  const { snapshot } = picture;
  const published = snapshot.pools.get(`${id.driver}|${id.pool}`)?.published.get(id.device);
  if (!published)
    throw new Failure(
      `no ResourceSlice in context ${cluster.context} publishes device ${name}`,
      'see: sluice get devices',
    );
  const attributes =
    published === 'Twice'
      ? [['published', 'twice, with different properties']]
      : Object.entries(published.attributes ?? {});
  return [
    ...explainDevice(id, { seen: picture, now }),
    ...(attributes.length > 0 ? ['Attributes:'] : []),
    ...attributes.map(
      ([key, value]) => `  ${key}: ${typeof value === 'string' ? value : Object.values(value as object).join(', ')}`,
    ),
  ];
}

async function eventLines(cluster: OpenCluster, regarding: string, namespace?: string): Promise<readonly string[]> {
  const events = (await readEvents(cluster, { namespace })).filter((one) => one.regarding === regarding);
  const shown = events
    .slice(-eventsShown)
    .map(({ at, reason, message }) => `  ${formatInstant(at)} ${reason}: ${message}`);
  return shown.length === 0 ? [] : ['Events:', ...shown];
}
