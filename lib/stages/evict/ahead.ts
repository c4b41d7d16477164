// Reads pods and their claims ahead of their turn, where the rows of the table are known to show older versions than are live.
import type { LiveCluster, SharedReads } from '../../liveCluster.ts';
import type { Uid } from '../../model/identity.ts';
import type { PodRow } from '../../state/podRows.ts';
import { type OwnReads, readOwn } from './ownReads.ts';

/**
 * The watcher does not send an object again whose content is the same, so that after a kubelet's status update the row has an older
 * version than the pod. A read from before the shared reads says what the row cannot say, of all pods that were read together.
 */
export interface ReadAhead {
  /** A row showed another version than is live: those of the next pods will, too. */
  noteBehind(): void;
  /** Pods in their order; reads the first of them once that is of use. */
  offer(rows: readonly PodRow[]): void;
  /** What was read of a pod ahead; for one attempt. */
  take(uid: Uid): Promise<OwnReads | undefined>;
}

/** Pods that are read together. */
const atOnce = 16;

/** Of pods that left the list in between, and are never asked for. */
const mostKept = 200;

export function createReadAhead(access: { readonly live: LiveCluster; readonly shared: SharedReads }): ReadAhead {
  const known = new Map<Uid, Promise<OwnReads | undefined>>();
  let isBehind = false;
  const readTogether = (rows: readonly PodRow[]) => {
    const reads = rows.map(({ object }) => readOwn(access, object).catch(() => undefined));
    // One shared read that begins after all of them serves all of them.
    const all = Promise.all(reads);
    if (known.size > mostKept) known.clear();
    for (const [i, { uid }] of rows.entries())
      known.set(
        uid,
        all.then((found) => {
          const own = found[i];
          return own?.kind === 'Own' ? own : undefined;
        }),
      );
  };
  return {
    noteBehind() {
      isBehind = true;
    },
    offer(rows) {
      if (!isBehind) return;
      const [first] = rows;
      const missing = rows.slice(0, atOnce).filter(({ uid }) => !known.has(uid));
      const isNeeded = (first && !known.has(first.uid)) || missing.length >= atOnce / 2;
      if (isNeeded) readTogether(missing);
    },
    async take(uid) {
      const own = known.get(uid);
      known.delete(uid);
      return own;
    },
  };
}
