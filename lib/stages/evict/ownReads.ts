// Reads the pod and its claims from the API server, for this pod only.
import { claimNamesOf } from '../../decide/consume.ts';
import type { ListVersions, LiveCluster, NotRead, SharedReads } from '../../liveCluster.ts';
import { compareResourceVersions, nameKey, type ResourceVersion } from '../../model/identity.ts';
import type { Pod, ResourceClaim } from '../../model/objects.ts';

/** `listed`: resourceVersion of the list that contained the object. */
export type Seen<T> =
  | { readonly kind: 'There'; readonly object: T; readonly listed: ResourceVersion }
  | { readonly kind: 'Absent' };

export interface OwnReads {
  readonly kind: 'Own';
  readonly pod: Seen<Pod>;
  /** Every claim that the pod names, by `namespace/name`. */
  readonly claims: ReadonlyMap<string, Seen<ResourceClaim>>;
  /** Marks taken before the first and after the last of these reads. */
  readonly begun: number;
  readonly ended: number;
}

/** The pod is kept because something is unknown. `read`: how a read of the API server failed. */
export interface NotKnown {
  readonly kind: 'Kept';
  readonly why: string;
  readonly read?: NotRead['kind'];
}

/** `pod`: as in the table. Its claims are read in parallel with the pod; claims that only the live pod names are read after it. */
export async function readOwn(
  from: { readonly live: LiveCluster; readonly shared: SharedReads },
  pod: Pod,
): Promise<OwnReads | NotKnown> {
  const { shared } = from;
  const begun = shared.mark();
  const claims = new Map<string, Seen<ResourceClaim>>();
  const readClaims = async (keys: readonly string[]): Promise<NotKnown | undefined> => {
    const answers = await Promise.all(
      keys.map(async (key) => [key, await readOne(from, 'ResourceClaim', key)] as const),
    );
    for (const [key, answer] of answers) {
      if (answer.kind === 'Kept') return answer;
      claims.set(key, answer);
    }
    return undefined;
  };
  const [found, problem] = await Promise.all([readOne(from, 'Pod', nameKey(pod)), readClaims(claimKeysOf(pod))]);
  if (found.kind === 'Kept') return found;
  if (problem) return problem;
  const wanted = found.kind === 'There' ? claimKeysOf(found.object) : [];
  const others = await readClaims(wanted.filter((key) => !claims.has(key)));
  return others ?? { kind: 'Own', pod: found, claims, begun, ended: shared.mark() };
}

/** Whether both show the same versions of the same objects. */
export function isUnmoved(a: OwnReads, b: OwnReads): boolean {
  return versionsOf(a) === versionsOf(b);
}

/**
 * Whether pod and claims were the same at these list versions as they are now. A list version above the version of the own
 * read proves nothing: etcd was restored.
 */
export function wereSameAt(versions: ListVersions, { pod, claims }: OwnReads): boolean {
  const isSame = (kind: 'Pod' | 'ResourceClaim', seen: Seen<Pod | ResourceClaim>) => {
    const at = versions.get(kind);
    if (at === undefined || seen.kind !== 'There') return false;
    return isAtMost(seen.object.resourceVersion, at) && isAtMost(at, seen.listed);
  };
  return isSame('Pod', pod) && [...claims.values()].every((claim) => isSame('ResourceClaim', claim));
}

function isAtMost(a: ResourceVersion, b: ResourceVersion): boolean {
  return [a, b].every((one) => /^[1-9][0-9]*$/.test(one)) && compareResourceVersions(a, b) <= 0;
}

export function claimKeysOf(pod: Pod): readonly string[] {
  return claimNamesOf(pod).map((name) => nameKey({ namespace: pod.namespace, name }));
}

function versionsOf({ pod, claims }: OwnReads): string {
  const all = [['', pod] as const, ...[...claims].sort(([a], [b]) => (a < b ? -1 : 1))];
  return all
    .map(([key, seen]) => `${key}=${seen.kind === 'There' ? `${seen.object.uid}@${seen.object.resourceVersion}` : ''}`)
    .join();
}

async function readOne<K extends 'Pod' | 'ResourceClaim'>(
  { live, shared }: { readonly live: LiveCluster; readonly shared: SharedReads },
  kind: K,
  key: string,
): Promise<Seen<K extends 'Pod' ? Pod : ResourceClaim> | NotKnown> {
  const read = await live.read<'Pod' | 'ResourceClaim'>(kind, key);
  if (read.kind === 'Found' || read.kind === 'NotFound') shared.note(kind, read.resourceVersion);
  if (read.kind === 'NotFound') return { kind: 'Absent' };
  if (read.kind !== 'Found') return { kind: 'Kept', why: read.why, read: read.kind };
  if (read.problem !== undefined) return { kind: 'Kept', why: read.problem };
  const object = read.object as K extends 'Pod' ? Pod : ResourceClaim;
  return { kind: 'There', object, listed: read.resourceVersion };
}
