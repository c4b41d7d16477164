// `sluice untaint`: deletes only rules that `taint` or `drain` made for a device or node.

import type { Json } from '../../adapters/kubernetes/read.ts';
import { pacedRuleResource } from '../../adapters/kubernetes/servedVersion.ts';
import { deleteObject, listObjects, nameOf, uidOf } from '../cluster/objects.ts';
import { type OpenCluster, withCluster } from '../cluster/open.ts';
import { requireServed } from '../cluster/served.ts';
import type { Call } from '../definition.ts';
import { NotFound } from '../failure.ts';
import { isSet } from '../flags.ts';
import { taintsWritten } from '../get/rules.ts';
import { line } from '../io.ts';
import { madeByLabel, madeFor } from '../madeRules.ts';
import { nearestHelp } from '../nearest.ts';

export async function run(call: Call): Promise<number> {
  await withCluster(call, (cluster) => untaintInCluster(cluster, call));
  return 0;
}

/** Takes the arguments of the verb. */
export async function untaintInCluster(
  cluster: OpenCluster,
  { args, flags, io }: Pick<Call, 'args' | 'flags' | 'io'>,
): Promise<void> {
  const [kind = '', name = '', key] = args;
  const subject = `${kind}/${name}`;
  await requireServed(cluster, pacedRuleResource);
  const made = await listMade(cluster);
  const mine = made.filter((rule) => madeFor(rule) === subject && (key === undefined || hasTaint(rule, key)));
  if (mine.length === 0) {
    const what = key === undefined ? '' : ` with taint ${key}`;
    throw new NotFound(
      `there is no rule by sluice taint or sluice drain for ${kind} ${name}${what} in context ${cluster.context}`,
      helpFor({ kind, name }, made),
    );
  }
  for (const rule of mine) {
    const which = { resource: pacedRuleResource, name: nameOf(rule) };
    if (isSet(flags, 'dryRun')) line(io.out, `pacedtaintrule.sluice.dev/${which.name} would be deleted`);
    else {
      const isGone = await deleteObject(cluster, which, { uid: uidOf(rule) });
      line(io.out, `pacedtaintrule.sluice.dev/${which.name} ${isGone ? 'deleted' : 'was already deleted'}`);
    }
  }
}

function listMade(cluster: OpenCluster): Promise<readonly Json[]> {
  return listObjects(cluster, pacedRuleResource, { labelSelector: madeByLabel });
}

/** Rules that `taint` or `drain` made for `device/DRIVER/POOL/DEVICE` or `node/NAME`. */
export async function rulesMadeFor(cluster: OpenCluster, subject: string): Promise<readonly Json[]> {
  return (await listMade(cluster)).filter((rule) => madeFor(rule) === subject);
}

/** The keys of its own taints if it has some, else the nearest of the others. */
function helpFor({ kind, name }: { readonly kind: string; readonly name: string }, made: readonly Json[]): string {
  const own = made.filter((rule) => madeFor(rule) === `${kind}/${name}`).flatMap(taintsWritten);
  if (own.length > 0) return `it has ${[...new Set(own.map(({ key }) => key))].join(', ')}; see: sluice get taints`;
  const known = made.map((rule) => madeFor(rule) ?? '').filter((one) => one.startsWith(`${kind}/`));
  const names = known.map((one) => one.slice(kind.length + 1));
  return nearestHelp(name, names, 'sluice get taints');
}

/** `KEY`, `KEY:EFFECT` or `KEY=VALUE:EFFECT`, as kubectl names a taint to remove: what is left out may be anything. */
function hasTaint(rule: Json, text: string): boolean {
  const [, key, value, effect] = /^([^=:]+)(?:=([^:]*))?(?::(.*))?$/.exec(text.replace(/-$/, '')) ?? [];
  return taintsWritten(rule).some(
    (taint) =>
      taint.key === key &&
      (value === undefined || (taint.value ?? '') === value) &&
      (effect === undefined || taint.effect === effect),
  );
}
