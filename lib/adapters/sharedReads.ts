// Shares recent API server responses between the pods of one process: concurrent callers need one request.
import type { ListVersions, SharedRead, SharedReads } from '../liveCluster.ts';
import type { ResourceVersion } from '../model/identity.ts';
import type { ObjectKind } from '../model/projection.ts';
import type { Instant, Milliseconds } from '../model/time.ts';

/** Maximum cached responses (rules, pools, namespaces); older ones are requested again. */
const remembered = 2000;

/**
 * How long noted versions count. A restored etcd restarts from an older version and may reach a noted one again, but only after a longer
 * stop.
 */
const notedFor: Milliseconds = 5000;

interface Asked {
  readonly readAt: Instant;
  readonly begun: number;
  readonly answer: Promise<SharedRead<unknown>>;
}

export function createSharedReads(now: () => Instant): SharedReads {
  const known = new Map<string, Asked>();
  const noted = new Map<ObjectKind, { readonly resourceVersion: ResourceVersion; readonly at: Instant }>();
  let marks = 0;
  const mark = () => ++marks;
  return {
    mark,
    note(kind, resourceVersion) {
      noted.set(kind, { resourceVersion, at: now() });
    },
    read<T>(
      key: string,
      { maxAge, since = Number.POSITIVE_INFINITY, after = 0 }: Parameters<SharedReads['read']>[1],
      ask: () => Promise<T>,
    ): Promise<SharedRead<T>> {
      const at = now();
      const last = known.get(key);
      // If the clock was set back, a response seems to come from the future: its age is unknown.
      const isYoung =
        last && last.readAt <= at && (at - last.readAt <= maxAge || last.readAt >= since) && last.begun > after;
      if (isYoung) return last.answer as Promise<SharedRead<T>>;
      const begun = mark();
      const versions = versionsAt(noted, at);
      const answer = ask().then((value) => ({ value, readAt: at, begun, ended: mark(), versions }));
      const asked: Asked = { readAt: at, begun, answer };
      known.delete(key);
      known.set(key, asked);
      // A failed request is not cached: the next caller sends it again.
      answer.catch(() => {
        if (known.get(key) === asked) known.delete(key);
      });
      const [oldest] = known.keys();
      if (known.size > remembered && oldest !== undefined) known.delete(oldest);
      return answer;
    },
  };
}

function versionsAt(
  noted: ReadonlyMap<ObjectKind, { readonly resourceVersion: ResourceVersion; readonly at: Instant }>,
  now: Instant,
): ListVersions {
  const young = [...noted].filter(([, { at }]) => at <= now && now - at <= notedFor);
  return new Map(young.map(([kind, { resourceVersion }]) => [kind, resourceVersion]));
}
