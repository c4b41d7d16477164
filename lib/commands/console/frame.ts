// The frame of every page: health of the cluster, notices about pauses, holds and missing heartbeats, and missing rights.

import type { Json } from '../../adapters/kubernetes/read.ts';
import { clusterNameOf } from '../../model/identity.ts';
import type { Pause } from '../../model/pause.ts';
import { formatInstant } from '../../model/time.ts';
import { readPauses } from '../../state/pauseRows.ts';
import { type ActionRequest, hrefOf, type May, pauseEverything, rightFor, tableRight } from '../../view/console/act.ts';
import type { Frame, Notice } from '../../view/console/page.ts';
import { watcherText } from '../../view/html.ts';
import { countText } from '../../view/words.ts';
import { uidOf } from '../cluster/objects.ts';
import type { StopKnown } from '../get/rules.ts';
import { type PauseRow, pauseRows } from '../pause/pauseRows.ts';
import { countingObjects, heldNotice, heldObjects } from './heldNotice.ts';
import { heldIds } from './heldNow.ts';
import { rulesIn } from './rulesIn.ts';
import type { ConsoleSource, Progress } from './source.ts';

export interface Situation {
  readonly frame: Frame;
  readonly progress: Progress;
  readonly may: May;
  /** No pod is evicted in the whole cluster: EvictionStop, pause in the state table, or no heartbeat. */
  readonly isStopped: boolean;
  /** The same, or `Unknown` if EvictionStops cannot be read. */
  readonly stop: StopKnown;
  readonly pauses: readonly PauseRow[];
  /** Pauses in the state table. */
  readonly stored: readonly Pause[];
  /** UIDs of held objects whose pods the state table does not list yet. */
  readonly counting: ReadonlySet<string>;
  /** UIDs of rules and policies whose notices say that they are held; of rules that the state table lists, the limiters held. */
  readonly told: ReadonlySet<string>;
}

export async function readSituation(source: ConsoleSource): Promise<Situation> {
  const [progress, stops, own, stored] = await Promise.all([
    source.progress(),
    source.stops(),
    source.rights(),
    readStoredPauses(source),
  ]);
  const has = (right: string) => (right === tableRight ? source.table !== undefined : own.granted.has(right));
  const may: May = (request) => has(rightFor(request));
  const pauses = pausesIn(source, stops.found);
  const held = heldObjects(source);
  const limiters = progress.kind === 'Read' ? progress.progress.limiters : [];
  const counting = countingObjects(source, held, progress);
  const noticed = held.map((one) => ({ one, notices: heldNotice(source, one, { may, progress, counting }) }));
  const isSilent = progress.kind === 'Read' && !progress.progress.watcher.isAlive;
  const isStopped = stops.found.length > 0 || stored.pauses.length > 0 || isSilent;
  const notices = [
    ...silences(source, progress),
    ...unreadKinds(source, stops.problem),
    ...(own.problem === undefined ? [] : [unread('your rights', own.problem)]),
    ...stored.pauses.map((one) => storedNotice(stored.cluster, one)),
    ...pauses.map((one) => pauseNotice(one, may)),
    ...noticed.flatMap((one) => one.notices),
  ];
  return {
    progress,
    may,
    pauses,
    stored: stored.pauses,
    counting,
    told: new Set(noticed.flatMap(({ one, notices }) => (notices.length > 0 ? heldIds(limiters, uidOf(one)) : []))),
    isStopped,
    stop: isStopped || stops.problem === undefined ? isStopped : 'Unknown',
    frame: {
      cluster: source.name,
      at: progress.kind === 'Read' ? progress.progress.at : source.io.now(),
      health: healthOf(source, progress, stops.problem),
      notices,
      missing: own.missing,
      mayStop: !isStopped && source.cluster !== undefined && may(pauseEverything),
    },
  };
}

const unread = (what: string, why: string): Notice => ({ kind: 'Unread', what, why });

async function readStoredPauses({
  table,
  name,
}: ConsoleSource): Promise<{ readonly cluster: string; readonly pauses: readonly Pause[] }> {
  if (!table) return { cluster: name, pauses: [] };
  try {
    const state = await table.state();
    return { cluster: clusterNameOf(state.cluster), pauses: await readPauses(state) };
  } catch {
    // readSituation reports the unreadable table in a separate notice.
    return { cluster: name, pauses: [] };
  }
}

/** The button needs AWS credentials with write access; without them, the error names the command to run. */
function storedNotice(cluster: string, { name, why, by, since, of }: Pause): Notice {
  const subject =
    of === 'cluster' ? ({ kind: 'cluster', name: cluster } as const) : ({ kind: 'clusters', name: '' } as const);
  return {
    kind: 'Paused',
    what: of === 'cluster' ? `cluster ${cluster}, in the state table` : 'every cluster of the installation',
    why: why === '' ? name : why,
    ...(by === undefined ? {} : { by }),
    ...(since > 0 ? { since: formatInstant(since) } : {}),
    end: { label: 'Resume', href: hrefOf({ action: 'resume', ...subject, pause: name }) },
  };
}

/** A watcher that was heard a moment ago does not make up for reads of the console that fail. */
function healthOf({ followed }: ConsoleSource, progress: Progress, stopsProblem: string | undefined): Frame['health'] {
  if ((followed?.problems() ?? []).length > 0 || stopsProblem !== undefined)
    return { isGood: false, text: 'cluster not read' };
  if (progress.kind === 'Read')
    return { isGood: progress.progress.watcher.isAlive, text: watcherText(progress.progress.watcher) };
  if (progress.kind === 'Failed') return { isGood: false, text: 'state table not read' };
  const isReady = followed?.isReady() ?? false;
  return { isGood: isReady, text: isReady ? 'cluster watched' : 'reading the cluster' };
}

/** One notice, because the usual cause is one for all kinds: the API server is away. */
function unreadKinds({ followed }: ConsoleSource, stopsProblem: string | undefined): readonly Notice[] {
  const problems = followed?.problems() ?? [];
  const kinds = [...problems.map(({ kind }) => kind), ...(stopsProblem === undefined ? [] : ['EvictionStop'])];
  const [first] = problems;
  if (kinds.length === 0) return [];
  const what = kinds.length === 1 ? `${kinds[0]} objects` : `${countText(kinds.length, 'kind')} of objects`;
  const named = kinds.length === 1 ? '' : `${kinds.join(', ')}. `;
  const why = `${named}${first?.why ?? stopsProblem ?? ''}`;
  if (!first) return [unread(what, why)];
  const since = Math.min(...problems.map((one) => one.since));
  const before = followed?.reading() === undefined ? ' Pages show what was read before.' : '';
  return [{ ...unread(what, `${why}.${before}`), since: formatInstant(since) }];
}

function silences({ name }: ConsoleSource, progress: Progress): readonly Notice[] {
  if (progress.kind === 'Failed')
    return [{ kind: 'Unread', what: 'the state table', why: `${progress.why}; it is tried again every second` }];
  if (progress.kind === 'None') return [];
  const { isAlive, age, lastHeard } = progress.progress.watcher;
  if (isAlive || age === undefined) return [];
  const since = lastHeard === undefined ? {} : { since: formatInstant(lastHeard) };
  return [
    {
      kind: 'Silent',
      what: `the watcher of ${name}`,
      why: 'No pod is evicted until it sends a heartbeat again.',
      ...since,
    },
  ];
}

function pausesIn({ followed, cluster }: ConsoleSource, stops: readonly Json[]): readonly PauseRow[] {
  if (!followed || !cluster) return [];
  return pauseRows({
    stops,
    rules: rulesIn(followed),
    policies: followed.objects('EvictionPolicy'),
    namespaces: followed.objects('Namespace'),
    context: cluster.context,
  });
}

/** The request that ends the pause; absent for `spec.paused`, which the user changes in the manifest. */
export function resumeOf({ what, name }: PauseRow): ActionRequest | undefined {
  const [kind = '', object = ''] = what.split(' ');
  if (name === 'spec.paused') return undefined;
  if (kind === 'cluster') return { action: 'resume', kind: 'everything', name: '', pause: name };
  if (kind === 'Namespace') return { action: 'resume', kind: 'namespace', name: object, pause: name };
  if (kind === 'EvictionPolicy') return { action: 'resume', kind: 'policy', name: object, pause: name };
  return { action: 'resume', kind: 'rule', name: `${kind}/${object}`, pause: name };
}

function pauseNotice(row: PauseRow, may: May): Notice {
  const request = resumeOf(row);
  const { what, name, why, by, since } = row;
  const plain = name === 'spec.paused' ? 'spec.paused is true: change its manifest' : name;
  return {
    kind: 'Paused',
    // Several stops of one cluster differ by their names alone.
    what: request?.kind === 'everything' ? `${what}, by EvictionStop ${name}` : what,
    why: why === '' ? plain : why,
    ...(by === undefined ? {} : { by }),
    ...(since === undefined ? {} : { since }),
    ...(request && may(request) ? { end: { label: 'Resume', href: hrefOf(request) } } : {}),
  };
}
