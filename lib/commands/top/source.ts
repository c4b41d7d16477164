// Data for `top` without AWS: read once by listing, or continuously by watching.
import type { Json } from '../../adapters/kubernetes/read.ts';
import { policyResource } from '../../adapters/kubernetes/servedVersion.ts';
import { createSharedReads } from '../../adapters/sharedReads.ts';
import { evictionEventReason } from '../../decide/eventText.ts';
import type { ClusterProgress } from '../../view/progress.ts';
import type { ScreenSnapshot } from '../../view/screenSnapshot.ts';
import { eventResource } from '../cluster/events.ts';
import { listObjects } from '../cluster/objects.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { follow } from '../console/followed.ts';
import { isWrittenRule, listRules } from '../get/rules.ts';
import { progressOf, type Totals, totalsOf } from './progress.ts';

/** Milliseconds between lists of Events; everything else is watched. */
const maxAge = 2000;

export async function readOnce(
  cluster: OpenCluster,
): Promise<ClusterProgress & { readonly problems: readonly string[] }> {
  const [rules, policies, events, picture] = await Promise.all([
    listRules(cluster),
    listObjects(cluster, policyResource),
    listEvictions(cluster),
    readPicture(cluster),
  ]);
  const shown = { cluster: cluster.context, now: cluster.now(), picture, rules, policies, events };
  return { ...progressOf(shown), problems: picture.problems };
}

/** Returns one frame per call. A read error is shown below the frame, which keeps the last known data. */
export function createFrames(cluster: OpenCluster, signal: AbortSignal): () => Promise<ScreenSnapshot> {
  const followed = follow(cluster, signal);
  const reads = createSharedReads(cluster.now);
  let events: readonly Json[] = [];
  let totals: Totals = new Map();
  /** Returns problems, if any. */
  const readEvents = async (): Promise<readonly string[]> => {
    try {
      events = await listEvictions(cluster);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  };
  return async () => {
    const at = cluster.now();
    const footer = ['Ctrl-C ends this'];
    if (!followed.isReady()) {
      const [first] = followed.problems();
      return { at, loading: { step: first?.why ?? 'Reading the cluster.', done: 0, of: 0 }, footer };
    }
    const { value: unread } = await reads.read('events', { maxAge }, readEvents);
    const picture = followed.picture();
    const rules = [...followed.objects('DeviceTaintRule'), ...followed.objects('PacedTaintRule')].filter(isWrittenRule);
    const policies = followed.objects('EvictionPolicy');
    const [problem] = [...followed.problems().map(({ why }) => why), ...picture.problems, ...unread];
    const progress = progressOf({ cluster: cluster.context, now: at, picture, rules, policies, events, totals });
    totals = totalsOf(progress, picture);
    return {
      at,
      progress,
      ...(problem === undefined ? {} : { message: `not read: ${problem}` }),
      footer,
    };
  };
}

function listEvictions(cluster: OpenCluster): Promise<readonly Json[]> {
  return listObjects(cluster, eventResource, { fieldSelector: `reason=${evictionEventReason}` });
}
