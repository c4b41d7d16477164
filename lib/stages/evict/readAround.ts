// Determines and reads the objects, other than the pod and its claims, that decide about a pod.

import { roomOf } from '../../gates/index.ts';
import type { LiveCluster, SharedReads } from '../../liveCluster.ts';
import { nameKey, poolKey } from '../../model/identity.ts';
import type { Pod, ResourceClaim } from '../../model/objects.ts';
import type { Instant } from '../../model/time.ts';
import { refOf } from '../../model/verdict.ts';
import type { Current } from '../../state/currentRules.ts';
import type { PodRow } from '../../state/podRows.ts';
import { readPools } from '../../state/sliceRows.ts';
import { isLive, type State } from '../../state/state.ts';
import { claimKeysOf } from './ownReads.ts';
import type { ClaimRows, Known, Round } from './round.ts';
import { readShared, type Wanted } from './sharedObjects.ts';

/** Determines these objects from the table's rows; the process caches the answers. */
export async function readAround(
  {
    state,
    access,
  }: { readonly state: State; readonly access: { readonly live: LiveCluster; readonly shared: SharedReads } },
  by: {
    readonly row: PodRow;
    readonly memory: Current;
    readonly claimRows: ClaimRows | Awaited<ClaimRows>;
    readonly since: Instant;
  },
): Promise<void> {
  const { row, memory, since } = by;
  const known = (await by.claimRows).filter(isLive).map(({ object }) => object);
  const wanted = await wantedFor(state, { row, claims: ownOf(row.object, known), pod: row.object, memory, since });
  await readShared(access, wanted);
}

/** For the first pod of a round, in parallel with its token; a failed read is reported where the object is needed. */
export function readAhead(
  { turn }: Pick<Round, 'turn'>,
  { upcoming, claimRows }: { readonly upcoming: readonly PodRow[]; readonly claimRows: ClaimRows },
  { facts, ruleSet: memory }: Known,
): void {
  const [row] = upcoming;
  if (row && roomOf(facts).most >= 1)
    readAround(turn, { row, claimRows, memory, since: Number.POSITIVE_INFINITY }).catch(() => undefined);
}

export async function wantedFor(
  state: State,
  by: {
    readonly row: PodRow;
    readonly claims: readonly ResourceClaim[];
    readonly pod: Pod | undefined;
    readonly memory: Current;
    readonly since: Instant;
  },
): Promise<Wanted> {
  const { row, claims, pod, memory, since } = by;
  const origins = (row.ledger?.because ?? []).map(({ origin }) => origin);
  const rules = [...new Set(origins.flatMap((origin) => refOf(origin) ?? []))];
  const named = origins.flatMap((one) =>
    one.kind === 'Slice' && one.sliceKind === 'DeviceTaintSlice' ? [one.name] : [],
  );
  // A rule that selects by taints may match taints of DeviceTaintSlices that none of the pod's reasons names; neither do reasons that the row had
  // no room for.
  const byTaints = memory.rules.some(({ deviceSelector }) => (deviceSelector?.deviceTaints ?? []).length > 0);
  const pools = claims.flatMap(({ allocation }) =>
    (allocation?.devices ?? []).map((one) => poolKey(one.driver, one.pool)),
  );
  const others =
    byTaints || row.ledger?.more ? (await readPools(state, pools)).taintSlices.map(({ name }) => name) : [];
  const { namespace } = row.object;
  return {
    rules,
    knownRules: new Map(memory.rules.map(({ uid, generation }) => [uid, generation])),
    taintSlices: [...named, ...others],
    claims,
    namespace,
    nodeName: pod?.nodeName,
    since,
    after: 0,
  };
}

/** The claims of a page that the pod names. */
function ownOf(pod: Pod, claims: readonly ResourceClaim[]): readonly ResourceClaim[] {
  const keys = claimKeysOf(pod);
  return claims.filter((claim) => keys.includes(nameKey(claim)));
}
