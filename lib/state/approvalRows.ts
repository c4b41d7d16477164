// Plans that wait for an operator's approval, by digest; an approval names one of them.
import type { Offer } from '../decide/approval.ts';
import type { Uid } from '../model/identity.ts';
import type { Instant } from '../model/time.ts';
import { approvalKey } from './keys.ts';
import type { State } from './state.ts';

/** How long a plan can be approved after it was last shown. */
const offerSeconds = 7 * 24 * 3600;

export async function storeOffer(
  state: State,
  rule: Uid,
  { offer, now }: { offer: Offer; now: Instant },
): Promise<void> {
  const ttl = Math.floor(now / 1000) + offerSeconds;
  const { digest, ...rest } = offer;
  await state.table.write({
    kind: 'Update',
    key: approvalKey(state.cluster, rule, digest),
    change: { set: { ...rest, ttl } },
  });
}

/** `undefined` for a digest that was never shown for this rule. */
export async function readOffer(state: State, rule: Uid, digest: string): Promise<Offer | undefined> {
  const row = await state.table.get(approvalKey(state.cluster, rule, digest));
  if (typeof row?.generation !== 'number' || typeof row.pods !== 'number') return undefined;
  const { generation, pods, without } = row;
  return { digest, generation, pods, ...(Array.isArray(without) ? { without } : {}) };
}
