// Claims whose reservations may be stale: each is checked every minute until a pod references it, or nothing stale is left.
import type { Instant } from '../model/time.ts';
import { compare } from '../table.ts';
import { dueAttributes } from './dueIndex.ts';
import { releaseKey } from './keys.ts';
import type { State } from './state.ts';

export async function askForRelease(state: State, claim: string, now: Instant): Promise<void> {
  const key = releaseKey(state.cluster, claim);
  await state.table.write({ kind: 'Put', row: { ...key, askedAt: now, ...dueAttributes(state, key, now) } });
}

/** Does nothing if a step has requested the release since `before`. */
export async function forgetRelease(state: State, claim: string, before: Instant): Promise<undefined> {
  const when = compare('askedAt', '<', before);
  await state.table.write({ kind: 'Delete', key: releaseKey(state.cluster, claim), when });
}
