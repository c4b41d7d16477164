// `sluice approve`: approves the plan of a held rule or policy, after showing the pods that the plan evicts.
import { conditionsOf } from '../../adapters/kubernetes/projectRule.ts';
import type { Json } from '../../adapters/kubernetes/read.ts';
import { policyResource } from '../../adapters/kubernetes/servedVersion.ts';
import { approvalAnnotations } from '../../model/approvalNote.ts';
import { approveAnnotation } from '../../model/hold.ts';
import { nameOf, patchObject, uidOf } from '../cluster/objects.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { planOf, taintsInCluster } from '../cluster/planning.ts';
import { isConfirmed } from '../confirm.ts';
import type { Call } from '../definition.ts';
import { NotFound } from '../failure.ts';
import { requirePolicy } from '../get/policies.ts';
import { requireRule, resourceOfRule } from '../get/rules.ts';
import { line, widthOf } from '../io.ts';
import { planLines } from '../output/planText.ts';
import { authorIn } from '../pause/author.ts';

export async function run(call: Call): Promise<number> {
  const [kind, name = ''] = call.args;
  return withCluster(call, async (cluster) => {
    const object = kind === 'policy' ? await requirePolicy(cluster, name) : await requireRule(cluster, name);
    const { digests, message } = offerOf(object, kind ?? 'rule');
    if (kind === 'policy') line(call.io.out, message);
    else await showPlan(cluster, object, call);
    if (!(await isConfirmed(call, `Approve plan ${digests} of ${object.kind} ${nameOf(object)}?`))) return 0;
    const approval = { digests, by: await authorIn(cluster, call.io), at: call.io.now() };
    line(call.io.out, await approveInCluster(cluster, object, approval));
    return 0;
  });
}

/** `digests`: of the plan shown to the user; no other plan is approved. */
export async function approveInCluster(
  cluster: OpenCluster,
  object: Json,
  approval: Parameters<typeof approvalAnnotations>[0],
): Promise<string> {
  const isPolicy = object.kind === 'EvictionPolicy';
  const resource = isPolicy ? policyResource : resourceOfRule(object);
  const patch = { metadata: { uid: uidOf(object), annotations: approvalAnnotations(approval) } };
  await patchObject(cluster, { resource, name: nameOf(object) }, patch);
  return `${String(object.kind).toLowerCase()}/${nameOf(object)} approved by ${approval.by}: ${approveAnnotation}=${approval.digests}`;
}

/** The plan offered in the Held condition, whose digest covers exactly the counted pods. Throws if there is no offer. */
export function offerOf(object: Json, kind: string): { readonly digests: string; readonly message: string } {
  const offer = findOffer(object);
  if (offer) return offer;
  throw new NotFound(
    `${object.kind} ${nameOf(object)} has no plan that waits for approval`,
    `see: sluice describe ${kind} ${nameOf(object)}`,
  );
}

export function findOffer(object: Json): { readonly digests: string; readonly message: string } | undefined {
  const held = conditionsOf(object).find(({ type }) => type === 'sluice.dev/Held');
  const [, digests] = /sluice\.dev\/approve=([0-9a-f]{12}(?:,[0-9a-f]{12})*)/.exec(held?.message ?? '') ?? [];
  return held?.status === 'True' && digests !== undefined ? { digests, message: held.message } : undefined;
}

async function showPlan(cluster: OpenCluster, rule: Json, { io }: Call): Promise<void> {
  const picture = await readPicture(cluster);
  const now = io.now();
  const plan = await planOf(cluster, { taints: taintsInCluster(rule, picture, now), picture, now, rule });
  const look = { by: 'pod', page: 1, pageSize: 20, isWide: false, width: widthOf(io.out, io.env) } as const;
  for (const one of planLines(plan, look)) line(io.out, one);
}
